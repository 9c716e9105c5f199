import type { Database } from '../platform/database/database.ts';

/** By what a person wants to be told of one type, beside the notification itself. */
export interface Preference {
  type: string;
  mail: boolean;
  bot: boolean;
}

/** What holds where a person has set nothing (decisions.md §8). */
export const usualPreference = { mail: true, bot: false } as const;

/**
 * What a person wants of every type, in the order of the types; in one statement, by the table's primary key.
 * @param types all that there are: a row of one that the registry does not know any more is left out
 */
export async function listPreferences(db: Database, userId: number, types: readonly string[]): Promise<Preference[]> {
  const set = await db.selectFrom('notification_preferences').select(['type', 'mail', 'bot']).where('userId', '=', userId).execute();
  const byType = new Map(set.map((preference) => [preference.type, preference]));
  return types.map((type) => byType.get(type) ?? { type, ...usualPreference });
}
