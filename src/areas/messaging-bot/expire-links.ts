import { type Cleared, clearedOf, clearingBatch } from '../../platform/expired-rows.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { anyOf } from '../../platform/database/database.ts';
import { auditAll } from '../audit/index.ts';

/**
 * Ends expired one-time links by the domain clock (BOT-1). Idempotent: an early or repeated run changes nothing.
 * The expiry is also checked at use; this only updates the record. A run for all uses `bot_links_expiry_index`.
 * @param of the links of one account, or at most `limit` of all
 * @returns how many
 */
export async function expireLinks(ctx: CommandContext, of: { holder: number } | { limit: number }): Promise<number> {
  const { db, now } = ctx;
  const past = db.selectFrom('bot_links').select('userId as key').where('expiresAt', '<=', now).orderBy('expiresAt');
  const ended = await db
    .deleteFrom('bot_links')
    // Repeated here: a parallel transaction may have used or replaced the link since it was selected.
    .where('expiresAt', '<=', now)
    .where((eb) => ('holder' in of ? eb('userId', '=', of.holder) : eb('userId', '=', anyOf(past.limit(of.limit)))))
    .returning('userId')
    .execute();
  await auditAll(
    ctx,
    ended.map(({ userId }) => ({ action: 'messaging_bot.link_expired', subject: { kind: 'user', id: userId } })),
  );
  return ended.length;
}

const hourMs = 60 * 60_000;
/** How long an update is kept (BOT-3); the platform stops repeating after a day. */
const updateLifetimeMs = 48 * hourMs;

/**
 * Cleans up a page: expired links whose timer was lost, and updates seen more than 48 hours ago (BOT-3), the oldest first, by index.
 * Links expire by the domain clock. Updates expire in real time, because they guard against real repeats.
 * @returns how many rows it changed, and whether there may be more
 */
export async function clearBotData(ctx: CommandContext): Promise<Cleared> {
  const old = ctx.db
    .selectFrom('bot_updates')
    .select('id as key')
    .where('seenAt', '<', new Date(Date.now() - updateLifetimeMs))
    .orderBy('seenAt')
    .limit(clearingBatch);
  const { numDeletedRows } = await ctx.db.deleteFrom('bot_updates').where('id', '=', anyOf(old)).executeTakeFirst();
  return clearedOf([await expireLinks(ctx, { limit: clearingBatch }), Number(numDeletedRows)]);
}
