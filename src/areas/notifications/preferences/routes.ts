import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { notificationKinds } from '../define-notifications.ts';
import { listPreferences, setPreferences } from './set-preferences.ts';

/**
 * Builds the wire schemas of preferences.
 * @param types of all kinds that the areas entered
 */
function preferenceSchemas(types: readonly string[]) {
  const type = z.enum(types).describe('Type of the notification: `<subject>.<event>`');
  const preference = z.strictObject({
    type,
    mail: z.boolean().describe('Whether it is also sent by mail; default true'),
    bot: z.boolean().describe('Whether the connected bot also sends it; default false'),
  });
  const body = z
    .strictObject({
      preferences: z
        .array(preference.meta({ id: 'NotificationPreference' }))
        .max(types.length)
        .superRefine((preferences, context) => {
          const named = new Set<string>();
          for (const [index, one] of preferences.entries()) {
            if (named.has(one.type)) context.addIssue({ code: 'custom', path: [index, 'type'], message: 'is a duplicate' });
            named.add(one.type);
          }
        }),
    })
    .meta({ id: 'NotificationPreferenceChanges' });
  return { body, response: z.object({ preferences: z.array(preference) }).meta({ id: 'NotificationPreferences' }) };
}

const tag = 'Notifications, messenger, chat';

/** Routes of the delivery channels by type (NOT-3). */
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
      summary: 'Get the delivery channels by type of notification',
      description:
        'Lists every type. By default a notification is sent by mail and not by the bot. GET /notifications lists all notifications in any case.',
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
      summary: 'Set the delivery channels by type of notification',
      description:
        'Omitted types keep their setting. A channel that is switched off also stops notifications that wait for it. A channel that is switched on applies to later notifications. The answer lists every type.',
      request: { body: changes, example: { preferences: [{ type: 'application.approved', mail: true, bot: true }] } },
      response: { data },
      async handler({ principal, body, caller, platform }) {
        await commit(platform, caller, (ctx) => setPreferences(ctx, principal.user.id, body.preferences));
        return ok({ preferences: await query(platform, (db) => listPreferences(db, principal.user.id, types)) });
      },
    }),
  ];
}
