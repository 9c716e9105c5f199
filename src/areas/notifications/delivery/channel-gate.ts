import { errorName } from '../../../platform/logging/error-code.ts';
import type { BotUnavailableError } from '../../../platform/bot/bot.ts';
import type { MailUnavailableError } from '../../../platform/mail/mailer.ts';

/** Pause before the next call to a channel that is away, milliseconds. */
const closedMs = 2_000;

/** Runs one call to a channel, or fails at once while the channel is away. */
export type ChannelGate = (send: () => Promise<void>) => Promise<void>;

/**
 * Creates the circuit breaker of a channel. After an outage, one call in `closedMs` tries the channel; all others fail with the last error.
 * A silent mail server takes ten seconds for each call: thousands of accounts would wait for hours.
 */
export function createGate(now: () => number = () => performance.now()): ChannelGate {
  let closed: { until: number; error: unknown } | null = null;
  return async (send) => {
    if (closed !== null) {
      if (now() < closed.until) throw closed.error;
      closed.until = Number.POSITIVE_INFINITY;
    }
    try {
      await send();
      closed = null;
    } catch (error) {
      closed = isOfChannel(error) ? { until: now() + closedMs, error } : null;
      throw error;
    }
  };
}

/** Whether other messages would fail as well. A rate limit of the bot platform may concern one chat. */
function isOfChannel(error: unknown): boolean {
  switch (errorName(error) ?? '') {
    case 'MailUnavailableError':
      return !(error as MailUnavailableError).isOfMail;
    case 'BotUnavailableError':
      return (error as BotUnavailableError).retryAfterMs === null;
    default:
      return false;
  }
}
