import { sql } from 'kysely';
import type { Language } from '../../../http/language.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import type { DueRecord } from '../../../platform/workflows/define-process.ts';
import type { Delivery, DeliveryChannel, Notification } from '../entities.ts';
import { isWantedBy } from '../preferences/usual-preference.ts';

/** How the delivery to an account stands; `delivery` is null where nothing waits. */
export interface DeliveryRecord {
  /** Of the account. */
  id: number;
  delivery: Readonly<Pick<Delivery, 'dueAt' | 'createdAt'>> | null;
  /** What waits, by channel. */
  waiting: Record<DeliveryChannel, number>;
  /** How often a channel that is away has failed in a row; 0 for one that is not. */
  tries: Record<DeliveryChannel, number>;
  /** Mails that the server refused for now, each by itself, and the most tries of one of them. */
  refused: { mails: number; tries: number };
}

/** These accounts' deliveries, in the order of their ids. What waits is counted up to a thousand. */
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

/** Accounts whose delivery is due by an instant, the earliest first, behind `after`. Uses deliveries_due_index. */
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

/** Accounts to which something waits to go out behind `afterId`, ascending. Uses the key. */
export async function listLivingDeliveries(db: Database, afterId: number, limit: number): Promise<number[]> {
  const rows = await db.selectFrom('deliveries').select('userId').where('userId', '>', afterId).orderBy('userId').limit(limit).execute();
  return rows.map(({ userId }) => userId);
}

/** A notification that waits to go out by a channel, with all that sending it takes. */
export interface WaitingDelivery extends Pick<Notification, 'type' | 'facts' | 'subjectId' | 'title' | 'text'> {
  id: number;
  notificationId: number;
  channel: DeliveryChannel;
  requestId: string;
  email: string;
  language: Language;
  /** The account is open, and its holder has not turned this off since it was told. */
  isWanted: boolean;
  /** Its channel has been away, and nothing has gone out by it since; or the mail server refused this one mail for now. */
  wasAway: boolean;
  /** How often the mail server refused it for now. */
  tries: number;
  /** It is left alone now. */
  isPostponed: boolean;
}

/**
 * What waits for an account, the oldest first; of each channel so many, since one may be away for long. A mail that the server refused for now
 * holds up none behind it: it is left out until its next try. Uses notification_deliveries_user_index.
 * @param isAsked also mails whose next try has not come
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
