import { sql } from 'kysely';
import { inList } from '../../../platform/database/database.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import type { ProcessState, QueuedWork } from '../../../platform/workflows/define-process.ts';
import type { DeliveryChannel } from '../entities.ts';
import { isNextOfLine } from './leases.ts';

/** What waits to go out to an account. */
interface WaitingOfAccount {
  /** Of the account. */
  id: number;
  /** Of the oldest message; null when nothing waits. */
  since: Date | null;
  /** When the first message may go; null when nothing waits. */
  nextTryAt: Date | null;
  /** Waiting messages by channel. */
  waiting: Record<DeliveryChannel, number>;
  /** Failed attempts in a row by channel; 0 for a channel that works. */
  attempts: Record<DeliveryChannel, number>;
  /** Mails that the server refuses for now, and the highest number of attempts among them. */
  deferred: { mails: number; attempts: number };
}

/** Mails and bot messages as administrators list them, by account. `deliver.ts` sends them. */
export const deliveryWork: QueuedWork<WaitingOfAccount> = {
  type: 'queue',
  kind: 'delivery',
  subject: 'user',

  async read(db, ids) {
    const rows = await db
      .selectFrom('users as u')
      .innerJoinLateral(
        (eb) =>
          eb
            .selectFrom((some) =>
              some
                .selectFrom('notification_deliveries as d')
                .whereRef('d.userId', '=', 'u.id')
                .select(['d.channel', 'd.attempts', 'd.deferrals', 'd.createdAt', 'd.nextTryAt'])
                .select(isNextOfLine.as('isNext'))
                .as('w'),
            )
            .select([
              sql<number>`count(*) filter (where channel = 'mail')`.as('mail'),
              sql<number>`count(*) filter (where channel = 'bot')`.as('bot'),
              sql<number>`coalesce(max(attempts) filter (where channel = 'mail'), 0)`.as('mailAttempts'),
              sql<number>`coalesce(max(attempts) filter (where channel = 'bot'), 0)`.as('botAttempts'),
              sql<number>`count(*) filter (where deferrals > 0)`.as('deferredMails'),
              sql<number>`coalesce(max(deferrals), 0)`.as('deferrals'),
              sql<Date | null>`min(created_at)`.as('since'),
              sql<Date | null>`min(next_try_at) filter (where is_next)`.as('nextTryAt'),
            ])
            .as('n'),
        (join) => join.onTrue(),
      )
      .where('u.id', '=', inList(ids))
      .select(['u.id', 'n.mail', 'n.bot', 'n.mailAttempts', 'n.botAttempts', 'n.deferredMails', 'n.deferrals', 'n.since', 'n.nextTryAt'])
      .orderBy('u.id')
      .execute();
    return rows.map(({ id, since, nextTryAt, mail, bot, mailAttempts, botAttempts, deferredMails, deferrals }) => ({
      id,
      since,
      nextTryAt,
      waiting: { mail, bot },
      attempts: { mail: mailAttempts, bot: botAttempts },
      deferred: { mails: deferredMails, attempts: deferrals },
    }));
  },

  describe: describeWaiting,
  since: ({ since }) => since ?? new Date(0),

  async listDue(db, now, after, limit) {
    return db
      .selectFrom('notification_deliveries as d')
      .where('d.channel', '=', inList(['mail', 'bot'] as const))
      .where('d.nextTryAt', '<=', now)
      .where(isNextOfLine)
      .groupBy('d.userId')
      .$if(after !== null, (due) => due.having(sql<boolean>`(min(d.next_try_at), d.user_id) > (${after?.at}, ${after?.id})`))
      .select(({ fn }) => ['d.userId as id', fn.min('d.nextTryAt').as('at')])
      .orderBy('at')
      .orderBy('id')
      .limit(limit)
      .execute();
  },

  async listLiving(db, afterId, limit) {
    const accounts = db.selectFrom('notification_deliveries').where('userId', '>', afterId).select('userId as id').distinct();
    return (await accounts.orderBy('id').limit(limit).execute()).map(({ id }) => id);
  },

  async count(db) {
    const counted = db.selectFrom('notification_deliveries').select(({ fn }) => fn.count<number>('userId').distinct().as('n'));
    return (await counted.executeTakeFirstOrThrow()).n;
  },

  async retry({ db, now }, userId) {
    await db
      .updateTable('notification_deliveries')
      .set({ nextTryAt: now })
      .where('userId', '=', userId)
      .where('nextTryAt', '>', now)
      .execute();
  },
};

/** Describes what waits for an account, without addresses or texts. */
export function describeWaiting({ nextTryAt, waiting, attempts, deferred }: WaitingOfAccount, now: Date): ProcessState {
  if (nextTryAt === null)
    return { stage: 'sent', waitingFor: 'none', details: 'Over: nothing waits to go out.', isOver: true, isDue: false, next: null };
  const isDue = nextTryAt <= now;
  const failed = [
    ...(attempts.mail > 0 ? [`The mail server has failed ${times(attempts.mail)}.`] : []),
    ...(attempts.bot > 0 ? [`The platform of the bot has failed ${times(attempts.bot)}.`] : []),
    ...(deferred.mails > 0 ? [`The mail server refuses ${deferred.mails} of the mails for now, tried ${times(deferred.attempts)}.`] : []),
  ];
  const details = [
    `Notifications that wait to go out: ${waiting.mail} by mail, ${waiting.bot} by the bot.`,
    ...failed,
    ...(isDue ? [] : [`Next try at ${formatDateTime(nextTryAt)}.`]),
  ];
  return {
    stage: failed.length === 0 ? 'waiting' : 'postponed',
    waitingFor: isDue ? 'none' : 'date',
    details: details.join(' '),
    isOver: false,
    isDue,
    next: { at: nextTryAt, why: 'tries to send again' },
  };
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times in a row`;
}
