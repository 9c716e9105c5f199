import type { Database } from '../../../platform/database/database.ts';
import type { Notification } from '../entities.ts';

export interface NotificationListing {
  userId: number;
  /** Undefined: both read and unread. */
  unread: boolean | undefined;
  page: number;
  limit: number;
}

/**
 * Lists a page of an account's notifications, the newest first, with the total and the number of unread ones. Uses
 * `notifications_user_index`; for unread ones `notifications_unread_index`.
 */
export async function listNotifications(
  db: Database,
  { userId, unread, page, limit }: NotificationListing,
): Promise<{ notifications: Readonly<Notification>[]; total: number; unread: number }> {
  const [notifications, counts] = await Promise.all([
    db
      .selectFrom('notifications')
      .where('userId', '=', userId)
      .$if(unread === true, (all) => all.where('readAt', 'is', null))
      .$if(unread === false, (all) => all.where('readAt', 'is not', null))
      .selectAll()
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    db
      .selectNoFrom((eb) => [
        eb
          .selectFrom('notifications')
          .where('userId', '=', userId)
          .select((all) => all.fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('all'),
        eb
          .selectFrom('notifications')
          .where('userId', '=', userId)
          .where('readAt', 'is', null)
          .select((all) => all.fn.countAll<number>().as('count'))
          .$asScalar()
          .$notNull()
          .as('unread'),
      ])
      .executeTakeFirstOrThrow(),
  ]);
  const total = unread === undefined ? counts.all : unread ? counts.unread : counts.all - counts.unread;
  return { notifications, total, unread: counts.unread };
}

/** Counts an account's unread notifications. Uses `notifications_unread_index`. */
export async function countUnread(db: Database, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('notifications')
    .where('userId', '=', userId)
    .where('readAt', 'is', null)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
