import { z } from 'zod';

/**
 * Preferences on the wire.
 * @param types of all kinds of notifications that the areas entered
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
