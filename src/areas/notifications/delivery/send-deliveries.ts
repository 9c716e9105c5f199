import { commit, query } from '../../../platform/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { type Away, endDelivery } from './end-delivery.ts';
import { handOverAll, mostAtOnce, type Sender, sendingMs } from './hand-over.ts';
import { holdDelivery, leaveToHolder } from './hold-delivery.ts';
import { listWaiting } from './queries.ts';

/**
 * Sends what waits for an account, for its own process. Leaves the account to a sender that holds its lease, such as a round.
 * @param isAsked also send what is postponed
 * @returns the channels that accepted nothing and the number of mails refused for now; both are retried when the delivery is due
 */
export async function sendDeliveries(
  platform: Platform,
  { caller, holder, isStopped }: Sender,
  userId: number,
  { isAsked }: { isAsked: boolean },
): Promise<{ away: Away[]; refusedForNow: number }> {
  if (!(await query(platform, (db) => holdDelivery(db, userId, holder)))) {
    await commit(platform, caller, (ctx) => leaveToHolder(ctx, userId));
    return { away: [], refusedForNow: 0 };
  }
  const endsAt = Date.now() + sendingMs;
  const waiting = await query(platform, (db, now) => listWaiting(db, userId, { limit: mostAtOnce, now, isAsked }));
  const wanted = waiting.filter(({ isPostponed }) => isAsked || !isPostponed);
  const sender = { caller, holder, isStopped: () => isStopped() || Date.now() > endsAt };
  const { away, moved, refusedForNow } = await handOverAll(platform, sender, userId, wanted);
  const round = { away, moved, wasAway: waiting.some(({ wasAway }) => wasAway) };
  await commit(platform, caller, (ctx) => endDelivery(ctx, userId, holder, round));
  return { away, refusedForNow };
}
