import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { audit } from '../audit/index.ts';
import { stopWaiting } from '../changes/index.ts';
import { notify } from '../notifications/index.ts';
import type { OutgoingAnswer } from '../../platform/outgoing/outgoing.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import { nextTryAfter } from './next-try.ts';
import { webhookNotifications } from './notifications.ts';
import { webhookRef } from './queries.ts';
import type { Waiting } from './take-round.ts';

/** What became of a try; `not_permitted`: the account may not read the record any more, so nothing was sent (WHK-3). */
export interface Outcome {
  delivery: Waiting;
  answer: OutgoingAnswer | 'not_permitted';
}

/** Status of a receiver that wants nothing more. */
const gone = 410;

export function isDelivered(answer: Outcome['answer']): boolean {
  return answer !== 'not_permitted' && answer.status !== null && answer.status >= 200 && answer.status < 300;
}

/**
 * Records what became of deliveries in one statement (WHK-5, WHK-6). Disables the webhook after the last try of a delivery, or when the
 * receiver answered 410, and tells the owner.
 */
export async function settleRound(ctx: CommandContext, webhookId: number, outcomes: readonly Outcome[]): Promise<void> {
  const webhook = await lockForChange(ctx.em, WebhookEntity, { id: webhookId });
  if (webhook === null || outcomes.length === 0) return;
  const settled = outcomes.map(({ delivery: { id, tries, isTest }, answer }) => {
    if (answer === 'not_permitted') return { id, state: 'failed', tries, problem: answer };
    const { status, problem, durationMs, text } = answer;
    // PostgreSQL has no zero character.
    const tried = { id, tries: tries + 1, status, problem, duration_ms: durationMs, answer: text.replaceAll('\u0000', '') };
    if (isDelivered(answer)) return { ...tried, state: 'delivered' };
    const next = status === gone || isTest ? null : nextTryAfter(tries + 1, ctx.now, Math.random());
    return { ...tried, state: next === null ? 'failed' : 'waiting', next_try_at: next };
  });
  await sql`
    update webhook_deliveries d set state = s.state, tries = s.tries, next_try_at = coalesce(s.next_try_at, d.next_try_at), tried_at = ${ctx.now},
      status = s.status, problem = s.problem, duration_ms = s.duration_ms, answer = s.answer
    from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) s (id bigint, state text, tries int, next_try_at timestamptz, status smallint,
      problem text, duration_ms int, answer text)
    where d.id = s.id and d.state = 'waiting'`.execute(ctx.db);
  const answers = outcomes.flatMap(({ answer }) => (answer === 'not_permitted' ? [] : [answer]));
  const last = answers.at(-1);
  if (last === undefined) return;
  webhook.lastTriedAt = ctx.now;
  webhook.lastStatus = last.status;
  webhook.lastProblem = last.problem;
  const isGone = answers.some(({ status }) => status === gone);
  const hasFailed = outcomes.some(
    ({ delivery, answer }, nth) => !delivery.isTest && answer !== 'not_permitted' && settled[nth]?.state === 'failed',
  );
  if (webhook.status === 'enabled' && (isGone || hasFailed)) await disable(ctx, webhook, isGone ? 'gone' : 'failed');
  await ctx.em.flush();
}

async function disable(ctx: CommandContext, webhook: Locked<Webhook>, cause: 'gone' | 'failed'): Promise<void> {
  const subject = { kind: 'webhook', id: webhook.id };
  webhook.status = 'disabled';
  webhook.disabledBy = cause;
  webhook.updatedAt = ctx.now;
  await ctx.em.flush();
  await stopWaiting(ctx.db, webhookRef(webhook.id));
  await audit(ctx, 'webhook.disabled', subject, { cause });
  await notify(ctx, webhook.userId, webhookNotifications['webhook.disabled'], subject, { cause });
}
