import { definePoint } from '../../../platform/extensions.ts';
import type { Platform } from '../../../platform/platform.ts';

/** A message about a fact, as the bot says it: no names, numbers or notes (decisions.md §8 "Bot"). */
export interface BotWords {
  title: string;
  /** To the registry. */
  link: string;
  /** Of the request that told it. */
  requestId: string;
}

/** The messaging bot as a way out of the registry: entered by its area. */
export interface BotChannel {
  /**
   * Says it to the person whose account is linked. Said once more where nobody knows whether it arrived.
   * @throws {BotRefusedError} when the platform never takes this message. It is given up then
   * @throws {BotUnavailableError} when the platform of the bot limits us or is away. It is said later then
   */
  send(platform: Platform, userId: number, words: BotWords): Promise<'sent' | 'not_linked'>;
}

export const botChannel = definePoint<BotChannel>('the messaging bot');
