import { baseUrl } from '../../../config.ts';
import type { BotRefusedError, BotUnavailableError } from '../../../platform/bot/bot.ts';
import { errorCode, errorName } from '../../../platform/error-code.ts';
import { causeOf as wordsOfCause } from '../../../platform/log.ts';
import type { MailRefusedError, MailUnavailableError } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { notificationKinds, type NotificationWords } from '../define-notifications.ts';
import { wordsOf } from '../words-of.ts';
import { botChannel } from './bot-channel.ts';
import type { ChannelGate } from './channel-gate.ts';
import { notificationMail } from './delivery-mail.ts';
import type { LeasedMessage } from './leases.ts';
import type { Outcome } from './settle.ts';

/** Hands a message to its channel. An unwanted one, or one without a linked chat, counts as sent. */
export async function handOver(platform: Platform, gate: ChannelGate, message: LeasedMessage): Promise<Outcome> {
  if (!message.isWanted) return { kind: 'sent' };
  const { channel, notificationId, language } = message;
  let words: NotificationWords;
  try {
    words = wordsOf(platform.extensions.of(notificationKinds), message, language);
  } catch (error) {
    platform.log.error({ notification_id: notificationId, err: error, cause: wordsOfCause(error) }, 'a notification cannot be written');
    return { kind: 'refused', code: null };
  }
  try {
    await gate(() => (channel === 'mail' ? sendMail(platform, message, words) : sendByBot(platform, message, words)));
    return { kind: 'sent' };
  } catch (error) {
    const outcome = outcomeOf(error);
    if (outcome.kind === 'away') platform.log.warn({ channel, cause: causeOf(error) }, 'a channel takes nothing now; its messages wait');
    return outcome;
  }
}

async function sendMail(platform: Platform, message: LeasedMessage, words: NotificationWords): Promise<void> {
  await platform.mailer.send(notificationMail(platform.config, { ...message, id: message.notificationId }, words));
}

async function sendByBot(platform: Platform, { userId, requestId }: LeasedMessage, { title }: NotificationWords): Promise<void> {
  const [bot] = platform.extensions.of(botChannel);
  await bot?.send(platform, userId, { title, link: baseUrl(platform.config), requestId });
}

function outcomeOf(error: unknown): Outcome {
  switch (errorName(error) ?? '') {
    case 'MailAddressError':
      return { kind: 'refused', code: null };
    case 'MailRefusedError':
    case 'BotRefusedError':
      return { kind: 'refused', code: (error as MailRefusedError | BotRefusedError).code };
    case 'MailUnavailableError': {
      const { isOfMail, code } = error as MailUnavailableError;
      return isOfMail ? { kind: 'deferred', code } : { kind: 'away', leastPauseMs: 0 };
    }
    case 'BotUnavailableError':
      return { kind: 'away', leastPauseMs: (error as BotUnavailableError).retryAfterMs ?? 0 };
    default:
      return { kind: 'away', leastPauseMs: 0 };
  }
}

/** Returns the error code of a library (`ECONNECTION`), or the error's name: a server's words may hold an address. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? errorName(cause) ?? errorName(error) ?? 'unknown error';
}
