import type { Database } from '../platform/database/database.ts';
import { usualPreference } from './usual-preference.ts';

/** By what a person wants to be told of one type, beside the notification itself. */
export interface Preference {
  type: string;
  mail: boolean;
  bot: boolean;
}

/**
 * What a person wants of every type, in the order of the types; in one statement, by the table's primary key.
 * @param types all that there are: a row of one that the registry does not know any more is left out
 */
export async function listPreferences(db: Database, userId: number, types: readonly string[]): Promise<Preference[]> {
  const set = await db.selectFrom('notification_preferences').select(['type', 'mail', 'bot']).where('userId', '=', userId).execute();
  const byType = new Map(set.map((preference) => [preference.type, preference]));
  return types.map((type) => byType.get(type) ?? { type, ...usualPreference });
}
