import type { Database } from '../../../platform/database/database.ts';
import type { Notification } from '../entities.ts';

export interface NotificationListing {
  userId: number;
  /** Undefined: whether or not it was read. */
  unread: boolean | undefined;
  page: number;
  limit: number;
}

/**
 * A page of what a person was told, the newest first, how much there is of it in all, and how much was not read. Read by
 * `notifications_user_index`; what was not read, and its number, by `notifications_unread_index`.
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

/** How much of what a person was told was not read, by `notifications_unread_index`. */
export async function countUnread(db: Database, userId: number): Promise<number> {
  const { count } = await db
    .selectFrom('notifications')
    .where('userId', '=', userId)
    .where('readAt', 'is', null)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
