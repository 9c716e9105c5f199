import { sql } from 'kysely';
import type { CommandContext } from '../../platform/context.ts';
import { auditAll } from '../audit/index.ts';

/**
 * Ends one-time links whose time is over by the clock; otherwise does nothing, so it may run again and may come too early. That a link is
 * too old is checked at its use; this lets the record say so. Those of all are found by `bot_links_expiry_index`.
 * @param of the links of one holder, or of all, so many at the most
 * @returns how many
 */
export async function expireLinks(ctx: CommandContext, of: { holder: number } | { limit: number }): Promise<number> {
  const { db, now } = ctx;
  const past = db.selectFrom('bot_links').select('userId').where('expiresAt', '<=', now).orderBy('expiresAt');
  const ended = await db
    .deleteFrom('bot_links')
    // Here too, not only where they are chosen: of two at once, the second finds them gone, used or newer.
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('userId', '=', of.holder) : eb('userId', '=', sql<number>`any(array(${past.limit(of.limit)}))`)))
    .returning('userId')
    .execute();
  await auditAll(
    ctx,
    ended.map(({ userId }) => ({ action: 'messaging_bot.link_expired', subject: { kind: 'user', id: userId } })),
  );
  return ended.length;
}

const hourMs = 60 * 60_000;
/** How long an update is known (decisions.md §8); the platform gives up after a day. */
const updateLifetimeMs = 48 * hourMs;
/** Of each kind so much goes with each page. */
const batch = 1000;

/**
 * Clears a page of what has served its time: links whose timer was lost or moved past, updates seen more than 48 hours ago. The oldest first,
 * by an index: with nothing to clear it reads nothing else. Links go by the domain's clock; updates guard against real repeats, in real time.
 * @returns how many rows it changed, and whether there may be more to clear at once
 */
export async function clearBotData(ctx: CommandContext): Promise<{ changed: number; isMore: boolean }> {
  const old = ctx.db
    .selectFrom('bot_updates')
    .select('id')
    .where('seenAt', '<', new Date(Date.now() - updateLifetimeMs))
    .orderBy('seenAt')
    .limit(batch);
  const { numDeletedRows } = await ctx.db
    .deleteFrom('bot_updates')
    .where('id', '=', sql<number>`any(array(${old}))`)
    .executeTakeFirst();
  const counts = [await expireLinks(ctx, { limit: batch }), Number(numDeletedRows)];
  return { changed: counts.reduce((sum, count) => sum + count, 0), isMore: counts.some((count) => count >= batch) };
}
