import { access } from '../http/access.ts';
import { defineRoute } from '../http/define-route.ts';
import type { Route } from '../http/define-route.ts';
import { ok } from '../http/reply.ts';
import { commit, query } from '../platform/command.ts';
import type { Extensions } from '../platform/extensions.ts';
import { notificationKinds } from './define-notifications.ts';
import { listPreferences } from './list-preferences.ts';
import { preferenceSchemas } from './preference-schemas.ts';
import { setPreferences } from './set-preferences.ts';

const tag = 'Notifications, messenger, chat';

/** By what a person wants to be told, beside the notification itself (decisions.md §8). */
export function preferenceRoutes(extensions: Extensions): Route[] {
  const types = extensions
    .of(notificationKinds)
    .flatMap((kinds) => Object.keys(kinds))
    .toSorted();
  const { body: changes, response: data } = preferenceSchemas(types);
  return [
    defineRoute({
      name: 'getNotificationPreferences',
      method: 'GET',
      path: '/notifications/preferences',
      access: access.scope('notifications:read'),
      tag,
      summary: 'By what you are told of each kind of notification',
      description:
        'Every kind is listed. Where nothing was set, it goes out by mail and not by the bot; GET /notifications has all of them anyway.',
      response: { data },
      async handler({ principal, platform }) {
        return ok({ preferences: await query(platform, (db) => listPreferences(db, principal.user.id, types)) });
      },
    }),
    defineRoute({
      name: 'setNotificationPreferences',
      method: 'PUT',
      path: '/notifications/preferences',
      access: access.scope('notifications:write'),
      tag,
      summary: 'Choose by what you are told',
      description:
        'Kinds that are not sent stay as they are. What was turned off meanwhile does not go out; what was turned on goes out for what is told from then on. The answer lists every kind.',
      request: { body: changes },
      response: { data },
      async handler({ principal, body, caller, platform }) {
        await commit(platform, caller, (ctx) => setPreferences(ctx, principal.user.id, body.preferences));
        return ok({ preferences: await query(platform, (db) => listPreferences(db, principal.user.id, types)) });
      },
    }),
  ];
}
