import { type Bot, BotBlockedError } from '../../platform/bot/bot.ts';
import { commit, query } from '../../platform/commands/command.ts';
import type { Caller } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BotChannel } from '../notifications/index.ts';
import { endLinks } from './end-link.ts';

/** The part of the platform needed to write to a chat. */
type ChatPlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox'>;

/**
 * Sends a message. When the bot is blocked, ends the link that the chat had before and notifies its account once (BOT-5).
 * @returns whether it was sent
 * @throws {BotUnavailableError} when the platform is away
 */
export async function writeToChat(
  platform: ChatPlatform,
  bot: Bot,
  { chatId, text, requestId }: { chatId: number; text: string; requestId: string },
): Promise<boolean> {
  const link = await query(platform, (db) => db.selectFrom('bot_links').where('chatId', '=', chatId).select('updateId').executeTakeFirst());
  try {
    await bot.sendMessage(chatId, text);
    return true;
  } catch (error) {
    if (!(error instanceof BotBlockedError)) throw error;
    const caller: Caller = { actor: { kind: 'process' }, requestId, ip: null };
    const updateId = link?.updateId ?? null;
    // A link made meanwhile has another update and stays.
    if (updateId !== null) await commit(platform, caller, (ctx) => endLinks(ctx, { chatId, updateId }, 'blocked'));
    return false;
  }
}

/**
 * Sends a fact's title and a link to the account's chat (BOT-4). Skips accounts without a chat and blocked accounts. Ends the link when
 * the person blocked the bot (BOT-5).
 */
export const chatsOfAccounts: BotChannel = {
  async send(platform, userId, { title, link, requestId }) {
    const { bot } = platform;
    if (bot === null) return 'not_linked';
    const chatId = await query(platform, async (db) => {
      const account = await db
        .selectFrom('bot_links as l')
        .innerJoin('users as u', 'u.id', 'l.userId')
        .where('l.userId', '=', userId)
        .where('u.status', '=', 'active')
        .select('l.chatId')
        .executeTakeFirst();
      return account?.chatId ?? null;
    });
    if (chatId === null) return 'not_linked';
    return (await writeToChat(platform, bot, { chatId, text: `${title}\n${link}`, requestId })) ? 'sent' : 'not_linked';
  },
};
