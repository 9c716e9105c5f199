import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import type { BotLink } from './entities.ts';
import { botNotifications } from './notifications.ts';

/** By what a link ended: its holder on the site or in the chat, the bot being blocked there, another account that took the chat, a new password. */
export type LinkEnd = 'site' | 'chat' | 'blocked' | 'other_account' | 'password';

/** Of which the holder is told. */
const untold: ReadonlySet<LinkEnd> = new Set(['site', 'chat']);

/** Which links; every part that is given must hold. */
export interface WhichLinks {
  userId?: number;
  chatId?: number;
  /** The update that connected it. */
  updateId?: number;
  /** Connected by an update before this one. */
  connectedBefore?: number;
}

/**
 * Ends links, by rows of the same transaction, and tells their holders where they have not done it themselves. Of two at once the second finds
 * nothing, so the holder is told once.
 * @returns the links as they were
 */
export async function endLinks(
  ctx: CommandContext,
  { connectedBefore, ...which }: WhichLinks,
  end: LinkEnd,
): Promise<Pick<BotLink, 'userId' | 'state' | 'chatId'>[]> {
  if (which.userId === undefined && which.chatId === undefined) throw new RangeError('whose link is to end?');
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
    if (!untold.has(end)) await notify(ctx, userId, botNotifications['bot.disconnected'], subject, { cause: end });
  }
  return ended;
}

/** Ends the link of an account whose password was changed, also one that waits: whoever had got hold of the account may have made it. */
export async function endLinkOfPassword(ctx: CommandContext, userId: number): Promise<void> {
  await endLinks(ctx, { userId }, 'password');
}
