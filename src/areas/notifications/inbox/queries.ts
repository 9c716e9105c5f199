import { countRows, type Database, type Paging } from '../../../platform/database/database.ts';
import type { Notification } from '../entities.ts';

/**
 * Lists a page of an account's notifications, newest first, with the total and the number of unread ones. Uses
 * `notifications_user_index`; for unread ones `notifications_unread_index`.
 * @param filter.unread undefined: read and unread ones
 */
export async function listNotifications(
  db: Database,
  userId: number,
  { unread, page, limit }: Paging & { unread?: boolean | undefined },
): Promise<{ rows: Readonly<Notification>[]; total: number; unread: number }> {
  const own = db.selectFrom('notifications').where('userId', '=', userId);
  const matching = unread === undefined ? own : own.where('readAt', unread ? 'is' : 'is not', null);
  const shown = matching.selectAll().orderBy('id', 'desc').limit(limit);
  const countOf = (query: typeof own) =>
    query
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .$asScalar()
      .$notNull();
  const [rows, counts] = await Promise.all([
    shown.offset((page - 1) * limit).execute(),
    db.selectNoFrom([countOf(own).as('all'), countOf(own.where('readAt', 'is', null)).as('unread')]).executeTakeFirstOrThrow(),
  ]);
  const total = unread === undefined ? counts.all : unread ? counts.unread : counts.all - counts.unread;
  return { rows, total, unread: counts.unread };
}

/** Counts an account's unread notifications. Uses `notifications_unread_index`. */
export function countUnread(db: Database, userId: number): Promise<number> {
  return countRows(db.selectFrom('notifications').where('userId', '=', userId).where('readAt', 'is', null));
}
