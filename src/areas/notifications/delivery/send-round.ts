import { commit, query } from '../../../platform/command.ts';
import type { Caller } from '../../../platform/context.ts';
import { causeOf } from '../../../platform/log.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { ProcessRef } from '../../../platform/process-ref.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { noteTrouble } from '../../../platform/workflows/process-troubles.ts';
import { endDelivery } from './end-delivery.ts';
import { handOverAll, mostAtOnce, type Sender, sendingMs } from './hand-over.ts';
import { holdDelivery, leaveToHolder, releaseDelivery } from './hold-delivery.ts';
import { deliveryProcess, sendStep } from './process.ts';
import { listWaiting } from './queries.ts';

/** Accounts that a round serves in parallel; each takes a pool connection at times (`worker/create-worker.ts`). */
export const accountsAtOnce = 2;

/**
 * Sends what waits for many accounts, each in its own transactions.
 * Leaves an account to its delivery process when sending fails or the round runs out of time.
 * @param callerOf the caller as which an account's process acts
 * @throws the error that prevented handing an account to its process, after all other accounts
 */
export async function sendRound(
  platform: Platform,
  userIds: readonly number[],
  { holder, callerOf, isStopped }: Omit<Sender, 'caller'> & { callerOf: (ref: ProcessRef) => Caller },
): Promise<void> {
  const endsAt = Date.now() + sendingMs;
  const queue = [...userIds];
  const faults: unknown[] = [];
  const sendOne = async (userId: number) => {
    const own = refOf(deliveryProcess, userId);
    const caller = callerOf(own);
    try {
      await sendFirst(platform, { caller, holder, isStopped: () => isStopped() || Date.now() > endsAt }, userId);
    } catch (error) {
      platform.log.error({ process: own, cause: causeOf(error) }, 'a round could not send to an account; its process tries');
      await commit(platform, caller, async ({ db, wake }) => {
        await releaseDelivery(db, userId, holder);
        wake(own);
      });
    }
  };
  await Promise.all(
    Array.from({ length: accountsAtOnce }, async () => {
      for (let userId = queue.shift(); userId !== undefined; userId = queue.shift()) {
        try {
          await sendOne(userId);
        } catch (error) {
          faults.push(error);
          // The database is away, not this account at fault: each of the others would wait for it as long.
          if (Date.now() > endsAt) queue.length = 0;
        }
      }
    }),
  );
  if (faults.length > 0) throw faults[0];
}

/** Skips channels that failed before: their retry is not due, or the process is sending. */
async function sendFirst(platform: Platform, sender: Sender, userId: number): Promise<void> {
  const { caller, holder } = sender;
  const own = refOf(deliveryProcess, userId);
  if (!(await query(platform, (db) => holdDelivery(db, userId, holder)))) {
    await commit(platform, caller, async (ctx) => {
      if (await leaveToHolder(ctx, userId)) ctx.wake(own);
    });
    return;
  }
  const waiting = await query(platform, (db, now) => listWaiting(db, userId, { limit: mostAtOnce, now }));
  const first = waiting.some(({ wasAway }) => wasAway) ? [] : waiting;
  const { away, moved, refusedForNow } = await handOverAll(platform, sender, userId, first);
  await commit(platform, { ...caller, requestId: waiting[0]?.requestId ?? caller.requestId }, async (ctx) => {
    const { isOver, isAwaited } = await endDelivery(ctx, userId, holder, { away, moved, wasAway: false });
    // Counts as an attempt of its process, which continues from here.
    if (away.length > 0 || refusedForNow > 0)
      await noteTrouble(ctx.db, { process: own, step: sendStep }, { code: 'service_unavailable', isFinal: false }, ctx.now);
    if (!isOver || isAwaited) ctx.wake(own);
  });
}
