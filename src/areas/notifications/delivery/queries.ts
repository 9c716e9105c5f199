import { sql } from 'kysely';
import type { Language } from '../../../http/language.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import type { DueRecord } from '../../../platform/workflows/define-process.ts';
import type { Delivery, DeliveryChannel, Notification } from '../entities.ts';
import { isWantedBy } from '../preferences/usual-preference.ts';

/** State of an account's delivery; `delivery` is null when nothing waits. */
export interface DeliveryRecord {
  /** Of the account. */
  id: number;
  delivery: Readonly<Pick<Delivery, 'dueAt' | 'createdAt'>> | null;
  /** Waiting notifications by channel. */
  waiting: Record<DeliveryChannel, number>;
  /** Failed attempts in a row by channel; 0 for a channel that works. */
  tries: Record<DeliveryChannel, number>;
  /** Mails that the server refuses for now, and the highest number of attempts among them. */
  refused: { mails: number; tries: number };
}

/** Finds the deliveries of accounts, ordered by id. Counts waiting notifications up to a thousand. */
export async function findDeliveries(db: Database, ids: readonly number[]): Promise<DeliveryRecord[]> {
  const rows = await db
    .selectFrom('users as u')
    .leftJoin('deliveries as d', 'd.userId', 'u.id')
    .leftJoin('delivery_pauses as m', (join) => join.onRef('m.userId', '=', 'd.userId').on('m.channel', '=', 'mail'))
    .leftJoin('delivery_pauses as b', (join) => join.onRef('b.userId', '=', 'd.userId').on('b.channel', '=', 'bot'))
    .leftJoinLateral(
      (eb) =>
        eb
          .selectFrom((waiting) =>
            waiting
              .selectFrom('notification_deliveries')
              .whereRef('userId', '=', 'd.userId')
              .select(['channel', 'tries'])
              .limit(1000)
              .as('w'),
          )
          .select([
            sql<number>`count(*) filter (where channel = 'mail')`.as('mail'),
            sql<number>`count(*) filter (where channel = 'bot')`.as('bot'),
            sql<number>`count(*) filter (where tries > 0)`.as('refusedMails'),
            sql<number>`coalesce(max(tries), 0)`.as('refusedTries'),
          ])
          .as('n'),
      (join) => join.onTrue(),
    )
    .where('u.id', '=', inList(ids))
    .select(['u.id', 'd.dueAt', 'd.createdAt', 'm.tries as mailTries', 'b.tries as botTries'])
    .select(['n.mail', 'n.bot', 'n.refusedMails', 'n.refusedTries'])
    .orderBy('u.id')
    .execute();
  return rows.map(({ id, dueAt, createdAt, mailTries, botTries, mail, bot, refusedMails, refusedTries }) => ({
    id,
    delivery: dueAt === null || createdAt === null ? null : { dueAt, createdAt },
    waiting: { mail: mail ?? 0, bot: bot ?? 0 },
    tries: { mail: mailTries ?? 0, bot: botTries ?? 0 },
    refused: { mails: refusedMails ?? 0, tries: refusedTries ?? 0 },
  }));
}

/** Lists accounts with a delivery due by `now`, the earliest first, after `after`. Uses deliveries_due_index. */
export async function listDueDeliveries(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]> {
  return db
    .selectFrom('deliveries')
    .select(['userId as id', 'dueAt as at'])
    .where('dueAt', '<=', now)
    .$if(after !== null, (due) => due.where(sql<boolean>`(due_at, user_id) > (${after?.at}, ${after?.id})`))
    .orderBy('dueAt')
    .orderBy('userId')
    .limit(limit)
    .execute();
}

/** Lists accounts with a delivery, after `afterId`, ascending. Uses the primary key. */
export async function listLivingDeliveries(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('deliveries').select('userId').where('userId', '>', afterId).orderBy('userId').limit(limit).execute();
  return rows.map(({ userId }) => userId);
}

/** A waiting notification with all data needed to send it. */
export interface WaitingDelivery extends Pick<Notification, 'type' | 'facts' | 'subjectId' | 'title' | 'text'> {
  id: number;
  notificationId: number;
  channel: DeliveryChannel;
  requestId: string;
  email: string;
  language: Language;
  /** The account is active, and its preference for this channel is still on. */
  isWanted: boolean;
  /** Its channel failed and accepted nothing since, or the mail server refused this mail for now. */
  wasAway: boolean;
  /** Attempts that the mail server refused for now. */
  tries: number;
  /** Paused at this moment. */
  isPostponed: boolean;
}

/**
 * Lists what waits for an account, the oldest first, with a limit for each channel because one may be away for long.
 * Leaves out mails whose retry is not due, so that they do not block later ones (NOT-4). Uses notification_deliveries_user_index.
 * @param isAsked also list mails whose retry is not due
 */
export async function listWaiting(
  db: Database,
  userId: number,
  { limit, now, isAsked = false }: { limit: number; now: Date; isAsked?: boolean },
): Promise<WaitingDelivery[]> {
  const first = (channel: DeliveryChannel) =>
    sql`(select id from notification_deliveries where user_id = ${userId} and channel = ${sql.lit(channel)}
      and (${isAsked} or retry_at is null or retry_at <= ${now}) order by id limit ${limit})`;
  return db
    .selectFrom('notification_deliveries as d')
    .innerJoin('notifications as n', 'n.id', 'd.notificationId')
    .innerJoin('users as u', 'u.id', 'd.userId')
    .leftJoin('notification_preferences as p', (join) => join.onRef('p.userId', '=', 'd.userId').onRef('p.type', '=', 'n.type'))
    .leftJoin('delivery_pauses as a', (join) => join.onRef('a.userId', '=', 'd.userId').onRef('a.channel', '=', 'd.channel'))
    .where('d.id', 'in', sql<number>`(${first('mail')} union all ${first('bot')})`)
    .select(['d.id', 'd.notificationId', 'd.channel', 'd.requestId', 'd.tries'])
    .select(['n.type', 'n.facts', 'n.subjectId', 'n.title', 'n.text', 'u.email', 'u.language'])
    .select(sql<boolean>`u.status = 'active' and ${isWantedBy('d.channel', 'p')}`.as('isWanted'))
    .select(sql<boolean>`a.until is not null or d.tries > 0`.as('wasAway'))
    .select(sql<boolean>`coalesce(a.until > ${now}, false)`.as('isPostponed'))
    .orderBy('d.id')
    .execute();
}
