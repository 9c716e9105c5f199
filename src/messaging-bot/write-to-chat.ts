import { commit, query } from '../platform/command.ts';
import { BotBlockedError } from '../platform/bot/bot.ts';
import type { Bot } from '../platform/bot/bot.ts';
import type { Caller } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
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
