import { type Bot, BotBlockedError } from '../../platform/bot/bot.ts';
import { commit, query } from '../../platform/command.ts';
import type { Caller } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import type { BotChannel } from '../notifications/index.ts';
import { endLinks } from './end-link.ts';

/** As much of the platform as it takes to write to a chat. */
export type ChatPlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox'>;

/**
 * Sends a message. Where the bot is blocked, the link that the chat had before ends with it, and its account is told, once.
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
    // A link that was made meanwhile is another.
    if (updateId !== null) await commit(platform, caller, (ctx) => endLinks(ctx, { chatId, updateId }, 'blocked'));
    return false;
  }
}

/**
 * Sends the title of a fact and a link to the chat of an account. An account without a chat, or one that is blocked, gets nothing; one that blocked
 * the bot has none from then on.
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
