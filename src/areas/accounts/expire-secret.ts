import { type Expression, type RawBuilder, sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';

/** Keys chosen by a query, as a list that PostgreSQL makes first: the rows are then found by their keys and never by reading the table. */
export function anyOf<Key>(chosen: Expression<{ key: Key }>): RawBuilder<Key> {
  return sql<Key>`any(array(${chosen}))`;
}

/** Whose secrets are looked at: those of one holder, or of all, so many at the most. */
export type Expiring<Holder> = { holder: Holder } | { limit: number };

/**
 * Closes captchas whose time is over by the clock; otherwise does nothing, so it may run again and may come too early. That a
 * secret is too old is checked at its use; this lets the record say so. Those of all are found by `captchas_expiry_index`.
 * @param of.holder id of the session
 * @returns how many
 */
export async function expireCaptchas({ db, now }: CommandContext, of: Expiring<string>): Promise<number> {
  const past = db.selectFrom('captchas').select('id as key').where('closedAt', 'is', null).where('expiresAt', '<=', now);
  const { numUpdatedRows } = await db
    .updateTable('captchas')
    .set({ closedAt: now, closedBy: 'time' })
    .where('closedAt', 'is', null)
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('sessionId', '=', of.holder) : eb('id', '=', anyOf(past.orderBy('expiresAt').limit(of.limit)))))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/**
 * Closes recovery links whose time is over, the same way, each with a row of the audit. Those of all are found by
 * `password_resets_expiry_index`.
 * @param of.holder id of the user
 * @returns how many
 */
export async function expirePasswordResets(ctx: CommandContext, of: Expiring<number>): Promise<number> {
  const { db, now } = ctx;
  const past = db.selectFrom('password_resets').select('id as key').where('closedAt', 'is', null).where('expiresAt', '<=', now);
  const closed = await db
    .updateTable('password_resets')
    .set({ closedAt: now, closedBy: 'time' })
    // Here too, not only where they are chosen: of two at once, the second finds them closed.
    .where('closedAt', 'is', null)
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('userId', '=', of.holder) : eb('id', '=', anyOf(past.orderBy('expiresAt').limit(of.limit)))))
    .returning('userId')
    .execute();
  for (const { userId } of closed) await audit(ctx, 'password_reset.expired', { kind: 'user', id: userId });
  return closed.length;
}
