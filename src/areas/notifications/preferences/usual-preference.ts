import { type RawBuilder, sql } from 'kysely';

/** Preference of an account that chose nothing (NOT-3). */
export const usualPreference = { mail: true, bot: false } as const;

/**
 * SQL condition for the same: whether an account wants a channel.
 * @param channel the column that names it
 * @param preferences alias of the account's row of `notification_preferences`, by an outer join
 */
export function isWantedBy(channel: string, preferences: string): RawBuilder<boolean> {
  const chosen = (name: keyof typeof usualPreference) =>
    sql`coalesce(${sql.ref(`${preferences}.${name}`)}, ${sql.lit(usualPreference[name])})`;
  return sql<boolean>`case ${sql.ref(channel)} when 'mail' then ${chosen('mail')} else ${chosen('bot')} end`;
}
