import { type AliasableExpression, sql } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, json } from '../../platform/database/database.ts';
import type { NotificationKind } from './define-notifications.ts';
import type { NotificationFacts } from './facts.ts';
import { isWantedBy } from './preferences/set-preferences.ts';

/** Limit of notifications to administrators about one fact; a federation has few administrators. */
const maxAdministrators = 200;

/** Selects every active administrator, ordered by id. Uses users_role_index. */
export function selectAdministrators(db: Database) {
  return db
    .selectFrom('users')
    .where('role', '=', 'administrator')
    .where('status', '=', 'active')
    .select('id')
    .orderBy('id')
    .limit(maxAdministrators);
}

/** The type, record and facts of a notification. */
interface NewNotification {
  kind: NotificationKind;
  subject: { kind: string; id: number | string };
  facts: NotificationFacts;
}

/**
 * Writes a notification for each account, with its stream event and its deliveries by preference (NOT-1, NOT-3).
 * One statement in the transaction of the fact. Workers send the deliveries (`delivery/deliver.ts`).
 * @param accounts their ids, as rows with `id`
 */
async function writeNotifications(
  { db, now, requestId }: CommandContext,
  accounts: AliasableExpression<{ id: number }>,
  { kind: { type }, subject, facts }: NewNotification,
): Promise<void> {
  await db
    .with('written', (queries) =>
      queries
        .insertInto('notifications')
        .columns(['userId', 'type', 'subjectKind', 'subjectId', 'facts', 'createdAt'])
        .expression((eb) =>
          eb
            .selectFrom(accounts.as('a'))
            .select([
              'a.id',
              sql.val(type).as('type'),
              sql.val(subject.kind).as('subjectKind'),
              sql.val(String(subject.id)).as('subjectId'),
              json(facts).as('facts'),
              sql.val(now).as('createdAt'),
            ])
            .orderBy('a.id'),
        )
        .returning(['id', 'userId']),
    )
    .with('streamed', (queries) =>
      queries
        .insertInto('stream_events')
        .columns(['userId', 'kind', 'subjectId', 'createdAt'])
        .expression((eb) =>
          eb
            .selectFrom('written')
            .select(['userId', sql.lit('notification').as('kind'), 'id', sql.val(now).as('createdAt')])
            .orderBy('id'),
        ),
    )
    .insertInto('notification_deliveries')
    .columns(['notificationId', 'userId', 'channel', 'createdAt', 'requestId', 'nextTryAt'])
    .expression((eb) =>
      eb
        .selectFrom('written as t')
        .leftJoin('notification_preferences as p', (join) => join.onRef('p.userId', '=', 't.userId').on('p.type', '=', type))
        .innerJoin(sql<{ channel: string }>`(values ('mail'), ('bot'))`.as<'c'>(sql`c(channel)`), (join) => join.onTrue())
        .where(isWantedBy('c.channel', 'p'))
        .select([
          't.id',
          't.userId',
          'c.channel',
          sql.val(now).as('createdAt'),
          sql.val(requestId).as('requestId'),
          sql.val(now).as('nextTryAt'),
        ])
        .orderBy('t.id'),
    )
    .execute();
}

/**
 * Notifies every active administrator, by one statement in the transaction of the fact (NOT-1).
 * @param subject the record it is about; its id appears in the text
 */
export async function notifyAdministrators(
  ctx: CommandContext,
  kind: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  await writeNotifications(ctx, selectAdministrators(ctx.db), { kind, subject, facts });
}

/**
 * Notifies an account by a row in the transaction of the fact (NOT-1). An erased account gets none (PRV-5).
 * @param subject the record it is about; its id appears in the text
 * @param facts further content of the text, see `NotificationFacts`
 */
export async function notify(
  ctx: CommandContext,
  userId: number,
  kind: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  await writeNotifications(ctx, sql<{ id: number }>`(select id from users where id = ${userId} and erased_at is null)`, {
    kind,
    subject,
    facts,
  });
}
