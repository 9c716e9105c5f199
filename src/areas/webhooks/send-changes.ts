import { commit, query } from '../../platform/commands/command.ts';
import { type Caller, unrecorded } from '../../platform/commands/context.ts';
import { outgoingTimeoutMs } from '../../platform/outgoing/outgoing.ts';
import type { Platform } from '../../platform/platform.ts';
import { hasSettled, markPresent, stopWaiting } from '../changes/index.ts';
import { webhookRef } from './queries.ts';
import { Sending } from './sending.ts';
import { settleRound } from './settle-round.ts';
import { takeRound } from './take-round.ts';

/** Time for which one webhook sends before others have their turn, and after which a round is recorded, milliseconds. */
const [turnMs, roundMs] = [10_000, 2_000];
/** Pause after a round, so that changes of a busy time go together; and the longest between two looks, milliseconds. */
const [pauseMs, longestPauseMs] = [100, 1_000];

/**
 * Sends a webhook what is due, for some seconds (WHK-4), and beside a receiver that does not answer until that has ended. The process calls
 * it again while anything is due.
 *
 * A killed worker's round is sent again: receivers know a change by its id. Ends only when no command under way can have missed that the
 * process waits again.
 * @param signal aborts when the worker stops
 */
export async function sendChanges(platform: Platform, own: Caller, id: number, signal: AbortSignal): Promise<void> {
  const caller = unrecorded(own);
  const startedAt = performance.now();
  const isInTurn = () => performance.now() < startedAt + turnMs + (sending.isBusy ? outgoingTimeoutMs : 0);
  const sending = new Sending(platform, signal);
  let mark: string | null = null;
  await query(platform, (db) => stopWaiting(db, webhookRef(id)));
  for (let pause = pauseMs; isInTurn() && !signal.aborted;) {
    const before = mark;
    const isSettled = before !== null && (await query(platform, (db) => hasSettled(db, before)));
    const round = await commit(platform, caller, (ctx) => takeRound(ctx, platform.config, id, sending.busy));
    if (round === 'over') break;
    if (round !== 'nothing') {
      await sending.send(round, roundMs);
      pause = pauseMs;
    } else if (!sending.isBusy) {
      if (isSettled) return;
      if (mark === null) {
        mark = await query(platform, markPresent);
        continue;
      }
    }
    await sending.someEnd(pause);
    if (await settle(platform, caller, id, sending)) mark = null;
    pause = Math.min(2 * pause, longestPauseMs);
  }
  await sending.allEnd();
  await settle(platform, caller, id, sending);
  signal.throwIfAborted();
  // Due again at once, unless it is over.
  await query(platform, (db) => stopWaiting(db, webhookRef(id)));
}

/** Records what became of deliveries, and a refused address as a security event (WHK-7). @returns whether anything was sent */
async function settle(platform: Platform, caller: Caller, id: number, sending: Sending): Promise<boolean> {
  const outcomes = sending.takeOutcomes();
  if (outcomes.length === 0) return false;
  await commit(platform, unrecorded(caller), (ctx) => settleRound(ctx, id, outcomes));
  if (outcomes.some(({ answer }) => answer !== 'not_permitted' && answer.problem === 'address_refused'))
    platform.securityLog.record({
      action: 'address.refused',
      actorId: null,
      impersonatedUserId: null,
      subject: { kind: 'webhook', id },
      ip: null,
      requestId: caller.requestId,
      data: { code: 'address_refused' },
    });
  return true;
}
