import type { CommandContext } from '../context.ts';
import { type RecordProcess, refOf } from './define-process.ts';
import { storeDueAt, startOf } from './process-view.ts';

/** Maximum delay of the first task, milliseconds; random for each record. */
const firstTurnMs = 60_000;

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
  const start = startOf(state, ctx.now);
  ctx.start(refOf(definition, row.id), { ...start, delayMs: Math.min(start.delayMs, firstTurnMs * (0.5 + Math.random() / 2)) });
}
