import type { BotChannel } from '../notifications/index.ts';
import { query } from '../platform/command.ts';
import { writeToChat } from './write-to-chat.ts';

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
