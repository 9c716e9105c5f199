import { sql } from 'kysely';
import type { CommandContext } from '../platform/context.ts';
import type { NotificationFacts, NotificationKind } from './define-notifications.ts';

/** A federation has a handful of administrators; whatever happens, no more are told at once. */
const mostTold = 200;

/**
 * Tells every active administrator what waits for the federation, by one statement in the fact's own transaction.
 * @param subject the record it is about; its id appears in the text
 */
export async function notifyAdministrators(
  { db, now }: CommandContext,
  { type, write }: NotificationKind,
  subject: { kind: string; id: number | string },
  facts: NotificationFacts = {},
): Promise<void> {
  const subjectId = String(subject.id);
  const { title, text } = write(facts, subjectId);
  await db
    .insertInto('notifications')
    .columns(['userId', 'type', 'title', 'text', 'subjectKind', 'subjectId', 'createdAt'])
    .expression(
      db
        .selectFrom('users')
        .where('role', '=', 'administrator')
        .where('status', '=', 'active')
        .select([
          'id',
          sql.val(type).as('type'),
          sql.val(title).as('title'),
          sql.val(text).as('text'),
          sql.val(subject.kind).as('subjectKind'),
          sql.val(subjectId).as('subjectId'),
          sql.val(now).as('createdAt'),
        ])
        .orderBy('id')
        .limit(mostTold),
    )
    .execute();
}
