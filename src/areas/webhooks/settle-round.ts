import { sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import type { OutgoingAnswer } from '../../platform/outgoing/outgoing.ts';
import { disable } from './disable-webhooks.ts';
import { type Webhook, WebhookEntity } from './entities.ts';
import { endOfFailing, nextTryAfter, restAfter } from './next-try.ts';
import type { Waiting } from './take-round.ts';

/** What became of a try; `not_permitted`: the account may not read the record any more, so nothing was sent (WHK-3). */
export interface Outcome {
  delivery: Waiting;
  answer: OutgoingAnswer | 'not_permitted';
}

/** Status of a receiver that wants nothing more, and of one that wants no requests for a while. */
const [gone, tooMany] = [410, 429];

export function isDelivered(answer: Outcome['answer']): boolean {
  return answer !== 'not_permitted' && answer.status !== null && answer.status >= 200 && answer.status < 300;
}

/** What changes of a subject: a delivery ends its failure, a failed try begins or continues one. */
interface SettledSubject {
  subject: string;
  isDelivered: boolean;
  isFailed: boolean;
  next_try_at: Date;
  status: number | null;
}

/**
 * Records what became of deliveries (WHK-4, WHK-5, WHK-6). Disables the webhook when the receiver has taken nothing for five days, or
 * answered 410 to a change, and tells the owner.
 * @param outcomes in the order of their ends
 */
export async function settleRound(ctx: CommandContext, webhookId: number, outcomes: readonly Outcome[]): Promise<void> {
  const { now } = ctx;
  const webhook = await lockForChange(ctx.em, WebhookEntity, { id: webhookId });
  if (webhook === null || outcomes.length === 0) return;
  const subjects = new Map<string, SettledSubject>();
  const settled = outcomes.map(({ delivery, answer }) => {
    const { id, subject, tries, isTest, failingSince } = delivery;
    const ofSubject = subjects.get(subject) ?? { subject, isDelivered: false, isFailed: false, next_try_at: now, status: null };
    if (!isTest) subjects.set(subject, ofSubject);
    if (answer === 'not_permitted') return { id, state: 'failed', tries, problem: answer };
    noteAnswer(webhook, delivery, answer, now);
    const { status, problem, durationMs, text, retryAfterMs } = answer;
    // PostgreSQL has no zero character.
    const tried = { id, tries: tries + 1, status, problem, duration_ms: durationMs, answer: text.replaceAll('\u0000', '') };
    if (isDelivered(answer)) {
      ofSubject.isDelivered = true;
      return { ...tried, state: 'delivered' };
    }
    if (isTest) return { ...tried, state: 'failed' };
    const subjectSince = ofSubject.isDelivered ? now : (failingSince ?? now);
    const failed = { tries: tries + 1, subjectSince, webhookSince: webhook.failingSince, retryAfterMs };
    const next = status === gone ? null : nextTryAfter(failed, now, Math.random());
    Object.assign(ofSubject, { isFailed: true, next_try_at: next ?? now, status });
    return { ...tried, state: next === null ? 'failed' : 'waiting', next_try_at: next };
  });
  await sql`
    update webhook_deliveries d set state = s.state, tries = s.tries, next_try_at = coalesce(s.next_try_at, d.next_try_at), tried_at = ${now},
      status = s.status, problem = s.problem, duration_ms = s.duration_ms, answer = s.answer
    from jsonb_to_recordset(${JSON.stringify(settled)}::jsonb) s (id bigint, state text, tries int, next_try_at timestamptz, status smallint,
      problem text, duration_ms int, answer text)
    where d.id = s.id and d.state = 'waiting'`.execute(ctx.db);
  await settleSubjects(ctx, webhookId, [...subjects.values()]);
  const changes = outcomes.flatMap(({ delivery, answer }) => (delivery.isTest || answer === 'not_permitted' ? [] : [answer]));
  const isGone = changes.some(({ status }) => status === gone);
  const hasFailed =
    webhook.failingSince !== null && endOfFailing(webhook.failingSince) <= now && changes.some((each) => !isDelivered(each));
  if (webhook.status === 'enabled' && (isGone || hasFailed)) await disable(ctx, webhook, isGone ? 'gone' : 'failed');
  await ctx.em.flush();
}

/**
 * Notes how the receiver does: a delivery ends its failure, and the rest of a dead one (WHK-4, WHK-5). What a 429 asked for goes on: the
 * delivery was under way before, or is a test.
 */
function noteAnswer(webhook: Locked<Webhook>, { isTest, failingSince }: Waiting, answer: OutgoingAnswer, now: Date): void {
  webhook.lastTriedAt = now;
  webhook.lastStatus = answer.status;
  webhook.lastProblem = answer.problem;
  const wasDead = restAfter(webhook.failedInRow, now) !== null;
  if (isDelivered(answer)) {
    if (wasDead) webhook.restsUntil = null;
    webhook.failedInRow = 0;
    if (!isTest) webhook.failingSince = null;
    return;
  }
  if (!isTest) {
    webhook.failingSince ??= now;
    if (failingSince === null || wasDead) webhook.failedInRow += 1;
    rest(webhook, restAfter(webhook.failedInRow, now));
  }
  if (answer.status === tooMany && answer.retryAfterMs > 0) rest(webhook, new Date(now.getTime() + answer.retryAfterMs));
}

/** Holds up all requests until an instant, or a later one that was set before. */
function rest(webhook: Locked<Webhook>, until: Date | null): void {
  if (until !== null && (webhook.restsUntil === null || webhook.restsUntil < until)) webhook.restsUntil = until;
}

async function settleSubjects({ db, now }: CommandContext, webhookId: number, subjects: readonly SettledSubject[]): Promise<void> {
  if (subjects.length === 0) return;
  await sql`
    with settled as (
      select * from jsonb_to_recordset(${JSON.stringify(subjects)}::jsonb)
        s (subject text, "isDelivered" boolean, "isFailed" boolean, next_try_at timestamptz, status smallint)
    ), empty as (
      delete from webhook_subjects w using settled s where w.webhook_id = ${webhookId} and w.subject = s.subject
        and not exists (
          select from webhook_deliveries d
          where d.webhook_id = ${webhookId} and d.subject = s.subject and d.state = 'waiting' and not d.is_test
        )
    )
    update webhook_subjects w set next_try_at = s.next_try_at,
      failing_since = case
        when not s."isFailed" then case when not s."isDelivered" then w.failing_since end
        when s."isDelivered" then ${now}::timestamptz
        else coalesce(w.failing_since, ${now}::timestamptz)
      end,
      attempts = case when s."isDelivered" then 0 else w.attempts end + s."isFailed"::int,
      last_status = case when s."isFailed" then s.status when not s."isDelivered" then w.last_status end
    from settled s where w.webhook_id = ${webhookId} and w.subject = s.subject`.execute(db);
}
