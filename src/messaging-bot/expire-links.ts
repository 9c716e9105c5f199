import { sql } from 'kysely';
import { auditAll } from '../audit/index.ts';
import type { CommandContext } from '../platform/context.ts';

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
