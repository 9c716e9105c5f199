import { type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { audit } from '../../audit/index.ts';
import type { NotificationPreference } from '../entities.ts';

/** Preference of an account that chose nothing (NOT-3). */
const usualPreference = { mail: true, bot: false } as const;

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

/** The delivery channels of one type; the inbox has every notification. */
export type Preference = Pick<NotificationPreference, 'type' | 'mail' | 'bot'>;

/**
 * Lists an account's preference for every type, in the order of the types. One statement, by the primary key.
 * @param types all known types: rows of unknown types are left out
 */
export async function listPreferences(db: Database, userId: number, types: readonly string[]): Promise<Preference[]> {
  const set = await db.selectFrom('notification_preferences').select(['type', 'mail', 'bot']).where('userId', '=', userId).execute();
  const byType = new Map(set.map((preference) => [preference.type, preference]));
  return types.map((type) => byType.get(type) ?? { type, ...usualPreference });
}

/**
 * Sets preferences of some types; others stay (NOT-3). Does not write unchanged ones.
 * @param preferences each type once; `bot` null: stays
 */
export async function setPreferences(
  ctx: CommandContext,
  userId: number,
  preferences: readonly (Omit<Preference, 'bot'> & { bot: boolean | null })[],
): Promise<void> {
  const columns = [preferences.map(({ type }) => type), preferences.map(({ mail }) => mail), preferences.map(({ bot }) => bot)] as const;
  const kept = sql<boolean>`coalesce(w.bot, p.bot, ${sql.lit(usualPreference.bot)})`;
  const wanted = sql<Preference>`unnest(${columns[0]}::text[], ${columns[1]}::boolean[], ${columns[2]}::boolean[])`.as<'w'>(
    sql`w(type, mail, bot)`,
  );
  const changed = await ctx.db
    .insertInto('notification_preferences')
    .columns(['userId', 'type', 'mail', 'bot'])
    .expression((eb) =>
      eb
        .selectFrom(wanted)
        .leftJoin('notification_preferences as p', (join) => join.on('p.userId', '=', userId).onRef('p.type', '=', 'w.type'))
        .where(({ eb: where, fn }) =>
          where.or([
            where(fn.coalesce('p.mail', sql.lit(usualPreference.mail)), '<>', where.ref('w.mail')),
            where(fn.coalesce('p.bot', sql.lit(usualPreference.bot)), '<>', kept),
          ]),
        )
        .select([sql<number>`${userId}::int`.as('userId'), 'w.type', 'w.mail', kept.as('bot')])
        // A fixed lock order prevents deadlocks of parallel requests.
        .orderBy('w.type'),
    )
    .onConflict((conflict) =>
      conflict.columns(['userId', 'type']).doUpdateSet(({ ref }) => ({ mail: ref('excluded.mail'), bot: ref('excluded.bot') })),
    )
    .returning('type')
    .execute();
  if (changed.length === 0) return;
  await audit(ctx, 'notification_preferences.updated', { kind: 'user', id: userId }, { changed: changed.map(({ type }) => type) });
}
