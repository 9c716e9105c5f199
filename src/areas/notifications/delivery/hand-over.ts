import { baseUrl, type Variables } from '../../../config.ts';
import type { Language } from '../../../http/language.ts';
import type { BotRefusedError, BotUnavailableError } from '../../../platform/bot/bot.ts';
import { errorCode, errorName } from '../../../platform/error-code.ts';
import { definePoint } from '../../../platform/extensions.ts';
import { causeOf as wordsOfCause } from '../../../platform/log.ts';
import type { Mail, MailRefusedError, MailUnavailableError } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { notificationKinds, type NotificationWords, wordsOf } from '../define-notifications.ts';
import type { ChannelGate } from './channel-gate.ts';
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

/** A bot message about a fact: no names, numbers or notes (BOT-4). */
interface BotWords {
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

/** Footer of each mail: the registry's address and how to turn these mails off. */
const footers: Record<Language, (facts: { url: string; preferences: string; type: string }) => string> = {
  ru: ({ url, preferences, type }) =>
    `Реестр: ${url}\nЧтобы не получать таких писем, выключите почту для вида «${type}» в настройках уведомлений: ${preferences}`,
  kk: ({ url, preferences, type }) =>
    `Тізілім: ${url}\nМұндай хаттарды алмау үшін хабарландыру баптауларында «${type}» түріне поштаны өшіріңіз: ${preferences}`,
  en: ({ url, preferences, type }) =>
    `The registry: ${url}\nTo get no such mails, turn mail off for "${type}" in the preferences of notifications: ${preferences}`,
};

/** Composes the mail of a notification. `Message-ID` is the same for each attempt, so mail programs show a repeated mail once. */
function notificationMail(
  config: Variables,
  { id, type, email, language }: { id: number; type: string; email: string; language: Language },
  { title, text }: NotificationWords,
): Mail {
  const url = baseUrl(config);
  const footer = footers[language]({ url, preferences: `${url}/api/v1/notifications/preferences`, type });
  return {
    to: email,
    subject: title,
    text: [...(text === '' ? [] : [text, '']), '-- ', footer].join('\n'),
    messageId: `notification-${id}@${new URL(url).hostname}`,
  };
}
