import { z } from 'zod';
import { access, type SignedIn } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { idParams } from '../../../http/schemas.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Platform } from '../../../platform/platform.ts';
import { notificationKinds } from '../define-notifications.ts';
import { markAllRead } from './mark-all-read.ts';
import { markRead } from './mark-read.ts';
import { countUnread, listNotifications } from './queries.ts';
import * as wire from './wire.ts';

const tag = 'Notifications, messenger, chat';

function wordingFor({ extensions }: Pick<Platform, 'extensions'>, { user }: SignedIn): wire.Wording {
  return { kinds: extensions.of(notificationKinds), language: user.language };
}

/** Routes of an account's notifications. */
export const notificationRoutes: Route[] = [
  defineRoute({
    name: 'listNotifications',
    method: 'GET',
    path: '/notifications',
    access: access.scope('notifications:read'),
    tag,
    summary: 'List the notifications of the account',
    description: 'Newest first. The request does not mark them as read.',
    request: { query: wire.notificationsQuery },
    response: { data: z.array(wire.notificationResponse), meta: wire.notificationsMeta },
    async handler({ principal, query: asked, platform }) {
      const { rows, total, unread } = await query(platform, (db) => listNotifications(db, principal.user.id, asked));
      const wording = wordingFor(platform, principal);
      return ok(
        rows.map((row) => wire.presentNotification(row, wording)),
        { total, page: asked.page, limit: asked.limit, unread },
      );
    },
  }),
  defineRoute({
    name: 'countUnreadNotifications',
    method: 'GET',
    path: '/notifications/unread',
    access: access.scope('notifications:read'),
    tag,
    summary: 'Count the unread notifications',
    response: { data: wire.unreadResponse },
    handler: ({ principal, platform }) => query(platform, async (db) => ok({ unread: await countUnread(db, principal.user.id) })),
  }),
  defineRoute({
    name: 'readNotification',
    method: 'POST',
    path: '/notifications/:id/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark a notification as read',
    description: 'A notification that was read before keeps its first `read_at`.',
    request: { params: idParams },
    response: { data: wire.notificationResponse },
    async handler({ principal, params, caller, platform }) {
      const wording = wordingFor(platform, principal);
      const shown = await commit(platform, caller, async (ctx) =>
        wire.presentNotification(await markRead(ctx, { userId: principal.user.id, id: params.id }), wording),
      );
      return ok(shown);
    },
  }),
  defineRoute({
    name: 'readNotifications',
    method: 'POST',
    path: '/notifications/read',
    access: access.scope('notifications:write'),
    tag,
    summary: 'Mark notifications as read up to an id',
    description:
      "Marks the account's notifications with an id of at most `up_to_id`. The answer contains the number of notifications that are still unread.",
    request: { body: wire.readUpToBody, example: { up_to_id: 42 } },
    response: { data: wire.unreadResponse },
    async handler({ principal, body: { up_to_id: upToId }, caller, platform }) {
      const unread = await commit(platform, caller, (ctx) => markAllRead(ctx, { userId: principal.user.id, upToId }));
      return ok({ unread });
    },
  }),
];
