import { DomainError } from '../errors.ts';
import type { Bot } from '../platform/bot/bot.ts';
import type { Platform } from '../platform/platform.ts';

/** Whoever switches the bot on does it by a new start of the service: asking again soon helps nobody (decisions.md §8). */
const retryAfterSeconds = 3600;

/** @throws {DomainError} messaging_bot_disabled */
export function requireBot({ bot }: Pick<Platform, 'bot'>): Bot {
  if (bot === null) throw new DomainError('messaging_bot_disabled', { retry_after_seconds: retryAfterSeconds });
  return bot;
}
