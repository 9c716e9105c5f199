import { sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { DomainError } from '../../errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { selectUnread } from '../changes/index.ts';
import { type Webhook, type WebhookDelivery, WebhookEntity, type WebhookSubject } from './entities.ts';
import { mayUse, requireUse, type WebhookCaller } from './policy.ts';

/** Subjects that may wait for their turn at a webhook; later changes stay in the log until then. Subjects that fail do not count. */
export const mostReady = 400;

/** A webhook as its process sees it. */
export interface WebhookStanding extends Pick<
  Webhook,
  'id' | 'status' | 'disabledBy' | 'nextTryAt' | 'lastTriedAt' | 'lastStatus' | 'lastProblem'
> {
  createdAt: Date;
  dueAt: Date | null;
  /** The account may read changes: it is not blocked. */
  isReader: boolean;
  /** The next change wakes the process. */
  isAwaiting: boolean;
  /** Changes after its position that can be read now. */
  isReadable: boolean;
  /** Changes after its position behind an open transaction. */
  isBlocked: boolean;
  /** No more changes are read now (`mostReady`). */
  isFull: boolean;
  /** When the key ends that the webhook ends with; null without one. */
  keyEndsAt: Date | null;
}

/** Reads webhooks as their processes see them. */
export async function readStandings(db: Database, ids: readonly number[]): Promise<WebhookStanding[]> {
  const unread = selectUnread({
    userId: sql`w.user_id`,
    seesAll: sql`(w.sees_all and u.role = 'administrator')`,
    place: sql`w.place`,
    changeId: sql`w.change_id`,
  });
  const { rows } = await sql<WebhookStanding>`
    select w.id, w.status, w.disabled_by, w.next_try_at, w.last_tried_at, w.last_status, w.last_problem, w.created_at, w.due_at,
      u.status = 'active' as is_reader, n.is_readable, n.is_blocked,
      exists (select from change_waiters c where c.process = 'webhook/' || w.id) as is_awaiting,
      (select count(*) from (
        select from webhook_subjects s where s.webhook_id = w.id and s.failing_since is null limit ${sql.lit(mostReady)}
      ) s) = ${sql.lit(mostReady)} as is_full, k.expires_at as key_ends_at
    from webhooks w join users u on u.id = w.user_id left join api_keys k on k.id = w.key_id cross join lateral (${unread}) n
    where w.id = any(${[...ids]}::int[]) order by w.id`.execute(db);
  return rows;
}

/** Lists the webhooks of an account that the caller may use, the oldest first (WHK-3). */
export async function listWebhooks(db: Database, by: WebhookCaller): Promise<Readonly<Webhook>[]> {
  const all = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('userId', '=', by.userId)
    .where('status', '<>', 'deleted')
    .orderBy('id')
    .execute();
  return all.filter((webhook) => mayUse(by, webhook));
}

/** @throws {DomainError} not_found, also for a webhook of another account; insufficient_scope */
export async function findWebhook(db: Database, by: WebhookCaller, id: number): Promise<Readonly<Webhook>> {
  const found = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', by.userId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (found === undefined) throw new DomainError('not_found');
  requireUse(by, found);
  return found;
}

/** Locks a webhook of an account. @throws {DomainError} not_found; insufficient_scope */
export async function lockWebhook({ em }: CommandContext, by: WebhookCaller, id: number): Promise<Locked<Webhook>> {
  const found = await lockForChange(em, WebhookEntity, { id, userId: by.userId, status: { $ne: 'deleted' } });
  if (found === null) throw new DomainError('not_found');
  requireUse(by, found);
  return found;
}

/** Deliveries that wait for a webhook. */
export interface Backlog {
  waiting: number;
  oldestWaitingAt: Date | null;
  failingSubjects: Pick<WebhookSubject, 'subject' | 'failingSince' | 'attempts' | 'lastStatus'>[];
  failingTotal: number;
}

const mostFailingShown = 20;

/** Reads what waits for a webhook, as far as the caller may read it now (WHK-3, WHK-10). */
export async function readBacklog(db: Database, webhookId: number, { seesAll }: WebhookCaller): Promise<Backlog> {
  const own = seesAll ? sql`` : sql`and d.is_own`;
  const waiting = sql`from webhook_deliveries d where d.webhook_id = ${webhookId} and d.state = 'waiting' ${own}`;
  const ownSubject = seesAll ? sql`` : sql`and exists (select ${waiting} and d.subject = s.subject and not d.is_test)`;
  const failing = sql`from webhook_subjects s where s.webhook_id = ${webhookId} and s.failing_since is not null ${ownSubject}`;
  const { rows } = await sql<Backlog>`
    select (select count(*) ${waiting})::int as waiting,
      (select d.created_at ${waiting} order by d.id limit 1) as oldest_waiting_at,
      (select count(*) ${failing})::int as failing_total`.execute(db);
  const oldest = await sql<Backlog['failingSubjects'][number]>`
    select s.subject, s.failing_since, s.attempts, s.last_status ${failing}
    order by s.failing_since, s.subject limit ${sql.lit(mostFailingShown)}`.execute(db);
  const [{ waiting: count, oldestWaitingAt, failingTotal } = { waiting: 0, oldestWaitingAt: null, failingTotal: 0 }] = rows;
  return { waiting: count, oldestWaitingAt, failingTotal, failingSubjects: oldest.rows };
}

interface DeliveryFilter {
  state?: WebhookDelivery['state'] | undefined;
  /** The number of the last delivery of the page before. */
  after?: number | undefined;
  limit: number;
}

/** Lists the deliveries of a webhook that the caller may read now, newest first (WHK-3). Each filter has an index in this order. */
export async function listDeliveries(
  db: Database,
  webhookId: number,
  { seesAll }: WebhookCaller,
  { state, after, limit }: DeliveryFilter,
): Promise<{ rows: Readonly<WebhookDelivery>[]; next: number | null }> {
  let wanted = db.selectFrom('webhook_deliveries').selectAll().where('webhookId', '=', webhookId);
  if (state !== undefined) wanted = wanted.where('state', '=', state);
  if (!seesAll) wanted = wanted.where('isOwn', '=', true);
  if (after !== undefined) wanted = wanted.where('id', '<', after);
  const rows = await wanted.orderBy('id', 'desc').limit(limit).execute();
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Name of a webhook's process. */
export function webhookRef(id: number) {
  return processRef('webhook', id);
}
