import { definePoint } from '../platform/extensions.ts';
import type { Platform } from '../platform/platform.ts';

/** The messaging bot, as notifications go out by it: the area that links accounts with chats enters it. */
export interface BotChannel {
  /**
   * Sends the title of a fact and a link into the chat of an account.
   * @returns `not_linked` where the account has no chat, or has blocked the bot there
   * @throws {Error} when the platform of the bot is away
   */
  send(platform: Platform, userId: number, words: { title: string; link: string }): Promise<'sent' | 'not_linked'>;
}

export const botChannel = definePoint<BotChannel>('the messaging bot');
