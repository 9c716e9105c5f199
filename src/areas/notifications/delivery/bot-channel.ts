import { definePoint } from '../../../platform/extensions.ts';
import type { Platform } from '../../../platform/platform.ts';

/** A bot message about a fact: no names, numbers or notes (BOT-4). */
export interface BotWords {
  title: string;
  /** Link to the registry. */
  link: string;
  /** Of the request that caused the notification. */
  requestId: string;
}

/** The messaging bot as a delivery channel; entered by its area. */
export interface BotChannel {
  /**
   * Sends to the chat that is linked with the account. Sends again when the outcome of an attempt is unknown.
   * @throws {BotRefusedError} when the platform never accepts this message; the caller drops it
   * @throws {BotUnavailableError} when the bot platform is away or limits the rate; the caller retries
   */
  send(platform: Platform, userId: number, words: BotWords): Promise<'sent' | 'not_linked'>;
}

export const botChannel = definePoint<BotChannel>('the messaging bot');
