import type { CommandContext } from '../../platform/commands/context.ts';
import type { EndedAccess } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import type { BotLink } from './entities.ts';
import { botNotifications } from './notifications.ts';

/**
 * Why a link ended: by its account on the site or in the chat, by blocking the bot, by another account in this chat, or by a new password.
 */
type LinkEnd = 'site' | 'chat' | 'blocked' | 'other_account' | 'password';

/** Causes without a notification: the person ended the link themselves. */
const ownEnds: ReadonlySet<LinkEnd> = new Set(['site', 'chat']);

/** Selects links; all given parts must match. */
interface WhichLinks {
  userId?: number;
  chatId?: number;
  /** The update that connected it. */
  updateId?: number;
  /** Connected by an update before this one. */
  connectedBefore?: number;
}

/**
 * Ends links and notifies their accounts unless they ended the link themselves (BOT-5), in the same transaction. Of two parallel calls
 * the second finds nothing, so the account is notified once.
 * @returns the links before the change
 */
export async function endLinks(
  ctx: CommandContext,
  { connectedBefore, ...which }: WhichLinks,
  end: LinkEnd,
): Promise<Pick<BotLink, 'userId' | 'state' | 'chatId'>[]> {
  if (which.userId === undefined && which.chatId === undefined) throw new RangeError('endLinks needs userId or chatId');
  const ended = await ctx.db
    .deleteFrom('bot_links')
    .where((eb) => eb.and([eb.and(which), ...(connectedBefore === undefined ? [] : [eb('updateId', '<', connectedBefore)])]))
    .returning(['userId', 'state', 'chatId'])
    .execute();
  for (const { userId, state } of ended) {
    const subject = { kind: 'user', id: userId };
    if (state === 'pending') {
      await audit(ctx, 'messaging_bot.link_withdrawn', subject);
      continue;
    }
    await audit(ctx, 'messaging_bot.disconnected', subject, { by: end });
    if (!ownEnds.has(end)) await notify(ctx, userId, botNotifications['bot.disconnected'], subject, { cause: end });
  }
  return ended;
}

/** Ends an account's link after a password change, also a pending one: revokes access that an attacker may have created (BOT-6). */
export async function endLinkOfAccess(ctx: CommandContext, { cause, userId }: EndedAccess): Promise<{ webhooks: number }> {
  if (cause === 'password_changed') await endLinks(ctx, { userId }, 'password');
  return { webhooks: 0 };
}
