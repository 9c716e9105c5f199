import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { DomainError } from '../../errors.ts';
import type { Database } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import { selectNews } from '../changes/index.ts';
import { type Webhook, type WebhookDelivery, WebhookEntity } from './entities.ts';

/** Deliveries that may wait at a webhook; later changes stay in the log until then. Smaller rounds cost more for each delivery. */
export const mostWaiting = 400;

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
  /** At most `mostWaiting`. */
  waiting: number;
}

/** Reads webhooks as their processes see them. */
export async function readStandings(db: Database, ids: readonly number[]): Promise<WebhookStanding[]> {
  const news = selectNews({
    userId: sql`w.user_id`,
    seesAll: sql`(w.sees_all and u.role = 'administrator')`,
    place: sql`w.place`,
    changeId: sql`w.change_id`,
  });
  const { rows } = await sql<WebhookStanding>`
    select w.id, w.status, w.disabled_by, w.next_try_at, w.last_tried_at, w.last_status, w.last_problem, w.created_at, w.due_at,
      u.status = 'active' as is_reader, n.is_readable, n.is_blocked,
      exists (select from change_waiters c where c.process = 'webhook/' || w.id) as is_awaiting,
      (select count(*) from (select from webhook_deliveries d where d.webhook_id = w.id and d.state = 'waiting' limit ${sql.lit(mostWaiting)}) d)::int as waiting
    from webhooks w join users u on u.id = w.user_id cross join lateral (${news}) n
    where w.id = any(${[...ids]}::int[]) order by w.id`.execute(db);
  return rows;
}

/** Lists the webhooks of an account, the oldest first. */
export function listWebhooks(db: Database, userId: number): Promise<Readonly<Webhook>[]> {
  return db.selectFrom('webhooks').selectAll().where('userId', '=', userId).where('status', '<>', 'deleted').orderBy('id').execute();
}

/** @throws {DomainError} not_found, also for a webhook of another account */
export async function findWebhook(db: Database, userId: number, id: number): Promise<Readonly<Webhook>> {
  const found = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('id', '=', id)
    .where('userId', '=', userId)
    .where('status', '<>', 'deleted')
    .executeTakeFirst();
  if (found === undefined) throw new DomainError('not_found');
  return found;
}

/** Locks a webhook of an account. @throws {DomainError} not_found */
export async function lockWebhook({ em }: CommandContext, userId: number, id: number): Promise<Locked<Webhook>> {
  const found = await lockForChange(em, WebhookEntity, { id, userId, status: { $ne: 'deleted' } });
  if (found === null) throw new DomainError('not_found');
  return found;
}

export interface DeliveryFilter {
  state?: WebhookDelivery['state'] | undefined;
  /** The number of the last delivery of the page before. */
  after?: number | undefined;
  limit: number;
}

/** Lists the deliveries of a webhook, newest first. Each filter has an index in this order. */
export async function listDeliveries(
  db: Database,
  webhookId: number,
  { state, after, limit }: DeliveryFilter,
): Promise<{ rows: Readonly<WebhookDelivery>[]; next: number | null }> {
  let wanted = db.selectFrom('webhook_deliveries').selectAll().where('webhookId', '=', webhookId);
  if (state !== undefined) wanted = wanted.where('state', '=', state);
  if (after !== undefined) wanted = wanted.where('id', '<', after);
  const rows = await wanted.orderBy('id', 'desc').limit(limit).execute();
  return { rows, next: rows.length === limit ? (rows.at(-1)?.id ?? null) : null };
}

/** Name of a webhook's process. */
export function webhookRef(id: number) {
  return processRef('webhook', id);
}
