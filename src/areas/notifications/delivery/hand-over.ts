import { baseUrl } from '../../../config.ts';
import type { BotRefusedError, BotUnavailableError } from '../../../platform/bot/bot.ts';
import { commit, query } from '../../../platform/command.ts';
import type { Caller } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { errorCode, errorName } from '../../../platform/error-code.ts';
import { causeOf as wordsOfCause } from '../../../platform/log.ts';
import type { MailRefusedError, MailUnavailableError } from '../../../platform/mail/mailer.ts';
import type { Platform } from '../../../platform/platform.ts';
import { notificationKinds, type NotificationWords } from '../define-notifications.ts';
import type { DeliveryChannel } from '../entities.ts';
import { postponeMail } from '../postpone-mail.ts';
import { wordsOf } from '../words-of.ts';
import { botChannel } from './bot-channel.ts';
import { notificationMail } from './delivery-mail.ts';
import { dropRefused } from './drop-refused.ts';
import type { Away } from './end-delivery.ts';
import { whileHeld } from './hold-delivery.ts';
import type { WaitingDelivery } from './queries.ts';

/** Limits of one round for an account: notifications of each channel, and sending time in milliseconds. Other accounts wait meanwhile. */
export const [mostAtOnce, sendingMs] = [25, 60_000];

/** The process or round that sends. */
export interface Sender {
  caller: Caller;
  /** Name under which it holds the account's lease (`hold-delivery.ts`). */
  holder: string;
  isStopped: () => boolean;
}

/** The channel refuses this notification for good. Null code: the address is invalid or the notification has no text. */
interface Refused {
  code: number | null;
}

/** The mail server refuses this one mail for now and accepts others. */
interface RefusedForNow {
  refusedForNow: number | null;
}

/**
 * Sends what waits for an account, each channel in order (NOT-4).
 * Deletes a notification after it is handed over. After a crash in between it goes out again, with the same `Message-ID`.
 * When a channel is away, its rest waits and the other channel continues. A mail that is refused for now is retried later and blocks no
 * others.
 * Stops when another sender holds the lease.
 * @returns channels that accepted nothing, channels that accepted something, and the number of mails to retry
 */
export async function handOverAll(
  platform: Platform,
  { caller, holder, isStopped }: Sender,
  userId: number,
  waiting: readonly WaitingDelivery[],
): Promise<{ away: Away[]; moved: ReadonlySet<DeliveryChannel>; refusedForNow: number }> {
  const away = new Map<DeliveryChannel, Away>();
  const moved = new Set<DeliveryChannel>();
  let refusedForNow = 0;
  await whileHeld(platform, userId, holder, async (isOwn) => {
    for (const delivery of waiting) {
      const { channel } = delivery;
      if (away.has(channel)) continue;
      if (isStopped() || !(await isOwn())) break;
      const outcome = delivery.isWanted ? await handOver(platform, userId, delivery) : 'taken';
      if (outcome === 'taken') await query(platform, (db) => takeOff(db, delivery.id));
      else if ('refusedForNow' in outcome) {
        const isLeft = await commit(platform, caller, (ctx) => postponeMail(ctx, userId, delivery, outcome.refusedForNow));
        if (isLeft) refusedForNow += 1;
      } else if ('code' in outcome) await commit(platform, caller, (ctx) => dropRefused(ctx, userId, delivery, outcome.code));
      else {
        away.set(channel, outcome);
        platform.log.warn({ channel, cause: outcome.cause }, 'notifications could not be handed over; they wait');
      }
      if (!away.has(channel)) moved.add(channel);
    }
  });
  return { away: [...away.values()], moved, refusedForNow };
}

/** Hands a notification to its channel. One without a channel, such as a closed account or no linked chat, counts as taken. */
async function handOver(platform: Platform, userId: number, delivery: WaitingDelivery): Promise<'taken' | Refused | RefusedForNow | Away> {
  const { channel, notificationId: id, language } = delivery;
  let words: NotificationWords;
  try {
    words = wordsOf(platform.extensions.of(notificationKinds), delivery, language);
  } catch (error) {
    platform.log.error({ notification_id: id, err: error, cause: wordsOfCause(error) }, 'a notification cannot be written');
    return { code: null };
  }
  try {
    if (channel === 'mail') {
      await platform.mailer.send(notificationMail(platform.config, { ...delivery, id, language }, words));
    } else {
      const [bot] = platform.extensions.of(botChannel);
      await bot?.send(platform, userId, { title: words.title, link: baseUrl(platform.config), requestId: delivery.requestId });
    }
    return 'taken';
  } catch (error) {
    if (isRefused(error)) return { code: error.code };
    if (errorName(error) === 'MailAddressError') return { code: null };
    if (isOfOneMail(error)) return { refusedForNow: error.code };
    return { channel, cause: causeOf(error), leastPauseMs: isBotAway(error) ? (error.retryAfterMs ?? 0) : 0 };
  }
}

async function takeOff(db: Database, id: number): Promise<void> {
  await db.deleteFrom('notification_deliveries').where('id', '=', id).execute();
}

/** Returns the error code of a library (`ECONNECTION`), or the error's name. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return errorCode(cause) ?? errorCode(error) ?? errorName(cause) ?? errorName(error) ?? 'unknown error';
}

function isRefused(error: unknown): error is MailRefusedError | BotRefusedError {
  return ['MailRefusedError', 'BotRefusedError'].includes(errorName(error) ?? '');
}

function isOfOneMail(error: unknown): error is MailUnavailableError {
  return errorName(error) === 'MailUnavailableError' && (error as MailUnavailableError).isOfMail;
}

function isBotAway(error: unknown): error is BotUnavailableError {
  return errorName(error) === 'BotUnavailableError';
}
