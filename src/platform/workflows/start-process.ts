import type { CommandContext } from '../commands/context.ts';
import { type RecordProcess, refOf } from './define-process.ts';
import { startSoon, storeDueAt } from './process-view.ts';

/**
 * Starts the process of a new record after the commit. Its first task runs with a message or after a delay, so that many new drafts do not
 * delay commands.
 */
export async function startProcess<Row extends { id: number }>(
  ctx: CommandContext,
  definition: RecordProcess<Row>,
  row: Row,
): Promise<void> {
  const state = definition.describe(row, ctx.now);
  await storeDueAt(ctx.db, definition, row, state, ctx.now);
  ctx.start(refOf(definition, row.id), startSoon(state, ctx.now));
}
