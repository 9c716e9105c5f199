import { setTimeout } from 'node:timers/promises';
import { commit, query } from '../../platform/command.ts';
import { type Caller, unrecorded } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { changeMediaType, hasSettled, markPresent, stopWaiting } from '../changes/index.ts';
import { webhookRef } from './queries.ts';
import { signatureHeaders } from './secrets.ts';
import { isDelivered, type Outcome, settleRound } from './settle-round.ts';
import { type Round, takeRound, type Waiting } from './take-round.ts';

/** Time for which one webhook sends before others have their turn, and after which a round is recorded, milliseconds. */
const [turnMs, roundMs] = [10_000, 2_000];
/** Pause after a round, so that changes of a busy time go together; and the longest between two looks, milliseconds. */
const [pauseMs, longestPauseMs] = [100, 1_000];

/**
 * Sends a webhook what is due, for some seconds (WHK-4). The process calls it again while anything is due.
 *
 * A killed worker's round is sent again: receivers know a change by its id. Ends only when no command under way can have missed that the
 * process waits again.
 * @param signal aborts when the worker stops
 */
export async function sendChanges(platform: Platform, own: Caller, id: number, signal: AbortSignal): Promise<void> {
  const caller = unrecorded(own);
  const until = performance.now() + turnMs;
  let mark: string | null = null;
  await query(platform, (db) => stopWaiting(db, webhookRef(id)));
  for (let pause = pauseMs; performance.now() < until;) {
    const before = mark;
    const isSettled = before !== null && (await query(platform, (db) => hasSettled(db, before)));
    const round = await commit(platform, caller, (ctx) => takeRound(ctx, platform.config, id));
    if (round === 'over' || (round === 'nothing' && isSettled)) return;
    if (round !== 'nothing') {
      const outcomes = await sendRound(platform, round, signal);
      await commit(platform, caller, (ctx) => settleRound(ctx, id, outcomes));
      mark = null;
      pause = pauseMs;
    } else if (mark === null) {
      mark = await query(platform, markPresent);
      continue;
    }
    await setTimeout(pause, undefined, { signal });
    pause = Math.min(2 * pause, longestPauseMs);
  }
  // Due again at once.
  await query(platform, (db) => stopWaiting(db, webhookRef(id)));
}

/** Sends deliveries, at most four at a time, until none may go or the time of a round is over. */
async function sendRound(platform: Platform, round: Round, signal: AbortSignal): Promise<Outcome[]> {
  const until = performance.now() + roundMs;
  const outcomes: Outcome[] = [];
  const underWay = new Set<Promise<void>>();
  for (;;) {
    const delivery = performance.now() < until && !signal.aborted ? round.line.next() : null;
    if (delivery === null) {
      if (underWay.size === 0) return outcomes;
      await Promise.race(underWay);
      continue;
    }
    const sending = tryOnce(platform, round, delivery, signal).then((answer) => {
      underWay.delete(sending);
      // An answer that the end of the worker cut off is none.
      if (signal.aborted && answer !== 'not_permitted' && answer.status === null) return;
      outcomes.push({ delivery, answer });
      if (answer === 'not_permitted' || isDelivered(answer)) round.line.delivered(delivery);
    });
    underWay.add(sending);
  }
}

async function tryOnce(
  { outgoing }: Platform,
  { url, secrets, seesAll }: Round,
  delivery: Waiting,
  signal: AbortSignal,
): Promise<Outcome['answer']> {
  const { messageId, body, isOwn } = delivery;
  if (!isOwn && !seesAll) return 'not_permitted';
  const headers = { 'content-type': changeMediaType, ...signatureHeaders(secrets, messageId, new Date(), body) };
  return outgoing.post(url, body, headers, signal);
}
