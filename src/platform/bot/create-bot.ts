import type { Bot } from './bot.ts';
import { createGrammyBot } from './grammy-bot.ts';

/** `BOT_TOKEN`, `BOT_API_URL`, `BOT_USERNAME`. */
export interface BotOptions {
  token?: string | undefined;
  /** Where the platform is; its own address unless given. */
  apiUrl?: string | undefined;
  username?: string | undefined;
  /** How long one call may take, the answer's body included. */
  timeoutMs: number;
}

/**
 * The configured bot, null when there is no token: then there is none.
 * @throws {TypeError} when a token is given without a name.
 */
export function createBot({ token, apiUrl, username, timeoutMs }: BotOptions): Bot | null {
  if (token === undefined) return null;
  if (username === undefined) throw new TypeError('a bot needs its name');
  return createGrammyBot({ token, apiUrl, username, timeoutMs });
}
