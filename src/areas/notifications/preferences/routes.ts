import { z } from 'zod';
import { access } from '../../../http/access/access.ts';
import { defineRoute, type Route } from '../../../http/define-route.ts';
import { ok } from '../../../http/response/reply.ts';
import { commit, query } from '../../../platform/command.ts';
import type { Extensions } from '../../../platform/extensions.ts';
import { notificationKinds } from '../define-notifications.ts';
import { listPreferences, setPreferences } from './set-preferences.ts';

/**
 * Builds the wire schemas of preferences.
 * @param types of all kinds that the areas entered
 */
export function preferenceSchemas(types: readonly string[]) {
  const type = z.enum(types).meta({ description: 'Kind of notification: `<subject>.<what happened>`' });
  const preference = z.strictObject({
    type,
    mail: z.boolean().meta({ description: 'Whether it goes out by mail too; true unless it was set' }),
    bot: z.boolean().meta({ description: 'Whether the bot tells of it too, once it is connected; false unless it was set' }),
  });
  const body = z
    .strictObject({
      preferences: z
        .array(preference.meta({ id: 'NotificationPreference' }))
        .max(types.length)
        .superRefine((preferences, context) => {
          const named = new Set<string>();
          for (const [index, one] of preferences.entries()) {
            if (named.has(one.type)) context.addIssue({ code: 'custom', path: [index, 'type'], message: 'is named already' });
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
