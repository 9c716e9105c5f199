import { baseUrl } from '../../../registry/config.ts';
import type { LocalizedText } from '../../../http/language.ts';
import type { BotRefusedError, BotUnavailableError } from '../../../platform/bot/bot.ts';
import { errorCode, errorName } from '../../../platform/logging/error-code.ts';
import { definePoint } from '../../../platform/extensions.ts';
import { causeOf as wordsOfCause } from '../../../platform/logging/log.ts';
import { footOf, type Site } from '../../../platform/mail/foot.ts';
import type { Mail, MailRefusedError, MailUnavailableError } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { notificationKinds, type NotificationWords, wordsOf } from '../define-notifications.ts';
import { mailPreferencesLink } from '../preferences/mail-links.ts';
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
  await platform.mailer.send(notificationMail(platform, message, words));
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

/** Words before the link to the mail preferences. */
const choose: LocalizedText = {
  ru: 'Выбрать, какие письма получать',
  kk: 'Қандай хаттар алатыныңызды таңдау',
  en: 'Choose which mails you get',
};

/**
 * Composes the mail of a notification, with the link that turns such mails off (NOT-8, NOT-10). `Message-ID` is the same for each attempt,
 * so mail programs show a repeated mail once.
 */
export function notificationMail(
  site: Site,
  message: Pick<LeasedMessage, 'notificationId' | 'userId' | 'type' | 'email' | 'language'>,
  { title, text }: NotificationWords,
): Mail {
  const { notificationId, email, language } = message;
  const link = mailPreferencesLink(site.config, message);
  const foot = [...footOf(site, language), ...(link === null ? [] : [`${choose[language]}: ${link}`])];
  return {
    to: email,
    subject: title,
    text: [text, ...foot].join('\n').trimStart(),
    messageId: `notification-${notificationId}@${new URL(baseUrl(site.config)).hostname}`,
    ...(link !== null && { unsubscribe: link }),
  };
}
