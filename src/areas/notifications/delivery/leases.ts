import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import type { Language } from '../../../http/language.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { DeliveryChannel, Notification } from '../entities.ts';
import { isWantedBy } from '../preferences/set-preferences.ts';

/** A leased message with all data needed to send it. */
export interface LeasedMessage extends Pick<Notification, 'type' | 'facts' | 'subjectId' | 'title' | 'text'> {
  id: number;
  notificationId: number;
  userId: number;
  channel: DeliveryChannel;
  requestId: string;
  attempts: number;
  deferrals: number;
  leaseId: string;
  email: string;
  language: Language;
  /** The account is active, its preference for this channel is still on, and a mail has a confirmed address (ACC-23). */
  isWanted: boolean;
}

/** A killed worker's rows are free after this time. */
const leaseEnd = sql<Date>`now() + interval '12 seconds'`;

/**
 * For rows `d` of `notification_deliveries`: whether the row may go before the others of its account and channel. A line goes in order, and
 * a deferred row has left it. Uses notification_deliveries_line_index.
 */
export const isNextOfLine = sql<boolean>`(d.deferrals > 0 or not exists (
  select from notification_deliveries e where e.user_id = d.user_id and e.channel = d.channel and e.deferrals = 0 and e.id < d.id))`;

/**
 * Leases the earliest due message of a channel; null when nothing is due. Other workers skip it. Uses notification_deliveries_due_index.
 * @param except accounts that get nothing now
 */
export async function leaseNext(
  db: Database,
  now: Date,
  channel: DeliveryChannel,
  except: readonly number[],
): Promise<LeasedMessage | null> {
  const message = await db
    .with('due', (queries) =>
      queries
        .selectFrom('notification_deliveries as d')
        .select('d.id')
        .where('d.channel', '=', channel)
        .where('d.nextTryAt', '<=', now)
        .where(sql<boolean>`coalesce(d.leased_until <= now(), true)`)
        .where('d.userId', '<>', sql<number>`all(${[...except]})`)
        .where(isNextOfLine)
        .orderBy('d.nextTryAt')
        .orderBy('d.id')
        .limit(1)
        .forUpdate()
        .skipLocked(),
    )
    .with('leased', (queries) =>
      queries
        .updateTable('notification_deliveries')
        .set({ leaseId: randomUUID(), leasedUntil: leaseEnd })
        .where('id', '=', (eb) => eb.selectFrom('due').select('id'))
        .returningAll(),
    )
    .selectFrom('leased as d')
    .innerJoin('notifications as n', 'n.id', 'd.notificationId')
    .innerJoin('users as u', 'u.id', 'd.userId')
    .leftJoin('notification_preferences as p', (join) => join.onRef('p.userId', '=', 'd.userId').onRef('p.type', '=', 'n.type'))
    .select(['d.id', 'd.notificationId', 'd.userId', 'd.channel', 'd.requestId', 'd.attempts', 'd.deferrals'])
    .select(['n.type', 'n.facts', 'n.subjectId', 'n.title', 'n.text', 'u.email', 'u.language'])
    .select(sql<string>`d.lease_id`.as('leaseId'))
    .select(
      sql<boolean>`u.status = 'active' and (d.channel <> 'mail' or u.email_confirmed) and ${isWantedBy('d.channel', 'p')}`.as('isWanted'),
    )
    .executeTakeFirst();
  return message ?? null;
}

/** Renews the lease of a message, unless another worker has taken it over. */
export async function renewLease(db: Database, { id, leaseId }: LeasedMessage): Promise<void> {
  await db
    .updateTable('notification_deliveries')
    .set({ leasedUntil: leaseEnd })
    .where('id', '=', id)
    .where('leaseId', '=', leaseId)
    .execute();
}
