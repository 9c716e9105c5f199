import type { CommandContext } from '../platform/context.ts';
import { endOfYear } from '../platform/date-time.ts';
import { approveWhenReady } from './approve-when-ready.ts';
import { closeApplication } from './close-application.ts';
import { lapseApplication } from './lapse-application.ts';
import { lockApplication, lockApplicationAndWallet } from './lock-application.ts';
import { findApplication } from './queries.ts';
import { lapsedDocuments } from './readiness.ts';
import { factsOf } from './record.ts';
import { isLive, nextStatus } from './states.ts';

/**
 * Does what has become due without anybody asking: closes when the year has ended, takes back when a linked document has lapsed
 * by the clock (whether or not its own process has marked it), approves when the last condition holds. Looks before it
 * changes anything, so it may run at any time and again.
 */
export async function reconsiderApplication(ctx: CommandContext, id: number): Promise<void> {
  const seen = await findApplication(ctx.em, id);
  if (!seen || !isLive(seen.status)) return;
  if (ctx.now >= endOfYear(seen.year)) {
    const locked = await lockApplicationAndWallet(ctx, id);
    if (isLive(locked.application.status)) await closeApplication(ctx, locked);
    return;
  }
  if (seen.status !== 'submitted' && seen.status !== 'approved') return;
  const locked = await lockApplication(ctx, id);
  const lapsed = lapsedDocuments(factsOf(locked.record, ctx.now));
  if (lapsed.length > 0 && nextStatus(locked.application.status, 'lapse') !== null) {
    await lapseApplication(ctx, locked, lapsed);
    return;
  }
  await approveWhenReady(ctx, locked.application);
}
