import type { CommandContext } from '../context.ts';
import { type RecordProcess, refOf } from './define-process.ts';
import { keepDueAt, startOf } from './process-view.ts';

/** A process without a message describes itself within this time, each record at its own moment (milliseconds). */
const firstLookMs = 60_000;

/**
 * Starts the process of a new record after the commit. It takes its first turn with a message or after a while: a burst of new drafts must
 * not delay other commands.
 */
export async function startProcess<Row extends { id: number }>(
  ctx: CommandContext,
  definition: RecordProcess<Row>,
  row: Row,
): Promise<void> {
  const state = definition.describe(row, ctx.now);
  await keepDueAt(ctx.db, definition, row, state, ctx.now);
  const start = startOf(state, ctx.now);
  ctx.start(refOf(definition, row.id), { ...start, delayMs: Math.min(start.delayMs, firstLookMs * (0.5 + Math.random() / 2)) });
}
