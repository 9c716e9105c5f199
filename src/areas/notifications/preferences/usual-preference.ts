import { type RawBuilder, sql } from 'kysely';

/** What holds where a person has set nothing (decisions.md §8). */
export const usualPreference = { mail: true, bot: false } as const;

/**
 * The same where it is asked by the database: whether a person wants a channel.
 * @param channel the column that names it
 * @param preferences the alias of the person's row of `notification_preferences`, by an outer join
 */
export function isWantedBy(channel: string, preferences: string): RawBuilder<boolean> {
  const chosen = (name: keyof typeof usualPreference) =>
    sql`coalesce(${sql.ref(`${preferences}.${name}`)}, ${sql.lit(usualPreference[name])})`;
  return sql<boolean>`case ${sql.ref(channel)} when 'mail' then ${chosen('mail')} else ${chosen('bot')} end`;
}
