import { commit } from '../../../platform/commands/command.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { Platform } from '../../../platform/platform.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { clearTrouble, recordTrouble } from '../../../platform/workflows/process-troubles.ts';
import { audit } from '../../audit/index.ts';
import type { NotificationDelivery } from '../entities.ts';
import type { LeasedMessage } from './leases.ts';

/** What became of a message. */
export type Outcome =
  | { kind: 'sent' }
  /** The channel never accepts it. Null code: the address is invalid, or the notification has no text. */
  | { kind: 'refused'; code: number | null }
  /** The mail server does not accept this one mail now. Null code: it did not answer. */
  | { kind: 'deferred'; code: number | null }
  /** The channel accepts nothing now; it may demand a pause, milliseconds. */
  | { kind: 'away'; leastPauseMs: number }
  /** A fault of ours. */
  | { kind: 'failed' };

/** Reports a dropped mail to administrators; entered by the area of incidents. */
type MailSetAside = (ctx: CommandContext, userId: number, details: Record<string, unknown>) => Promise<void>;

export const mailSetAside = definePoint<MailSetAside>('a mail was set aside');

/** Records what became of a message, in one short transaction (NOT-4). Does nothing when another worker has taken the message over. */
export async function settle(platform: Platform, message: LeasedMessage, outcome: Outcome): Promise<void> {
  const { userId } = message;
  await commit(platform, { actor: { kind: 'process' }, requestId: `delivery-${userId}`, ip: null }, async (ctx) => {
    switch (outcome.kind) {
      case 'sent':
        return end(ctx, message);
      case 'refused':
        return drop(ctx, message, outcome.code);
      case 'deferred':
        return defer(ctx, message, outcome.code);
      case 'away':
        return postpone(ctx, message, 'service_unavailable', outcome.leastPauseMs);
      case 'failed':
        return postpone(ctx, message, 'internal_error', 0);
    }
  });
}

/** Deletes a message that was sent, whichever worker has its lease now. */
async function end(ctx: CommandContext, message: LeasedMessage): Promise<void> {
  await ctx.db.deleteFrom('notification_deliveries').where('id', '=', message.id).execute();
  await clearTroubleIfLast(ctx, message);
}

/**
 * Drops a message that its channel refuses for good or that has no text, so that it does not block later ones. The audit records it; the
 * notification stays in the application.
 * @returns whether it was still this sender's
 */
async function drop(ctx: CommandContext, message: LeasedMessage, code: number | null): Promise<boolean> {
  const { id, leaseId, userId, notificationId, channel } = message;
  const dropped = ctx.db.deleteFrom('notification_deliveries').where('id', '=', id).where('leaseId', '=', leaseId).returning('id');
  if ((await dropped.executeTakeFirst()) === undefined) return false;
  await clearTroubleIfLast(ctx, message);
  await audit(ctx, 'notification.refused', { kind: 'user', id: userId }, { notification_id: notificationId, channel, code });
  return true;
}

/** Lets later mails go ahead of one that the mail server refuses for now. Drops it after a day, and opens an incident. */
async function defer(ctx: CommandContext, message: LeasedMessage, code: number | null): Promise<void> {
  const deferrals = message.deferrals + 1;
  if (deferrals < mostDeferrals) {
    const nextTryAt = new Date(ctx.now.getTime() + pauseAfterDeferral(deferrals));
    if (!(await release(ctx, message, { deferrals, attempts: 0, nextTryAt }))) return;
    await recordTrouble(ctx.db, troubleOf(message), { code: 'service_unavailable', isFinal: false }, ctx.now);
  } else if (await drop(ctx, message, code)) {
    const details = { notification_id: message.notificationId, code, tries: deferrals };
    for (const tell of ctx.extensions.of(mailSetAside)) await tell(ctx, message.userId, details);
  }
}

/** Waits with a message, and with its line: outages are retried without end. */
async function postpone(ctx: CommandContext, message: LeasedMessage, code: string, leastPauseMs: number): Promise<void> {
  const { userId, channel, deferrals } = message;
  const attempts = message.attempts + 1;
  const nextTryAt = new Date(ctx.now.getTime() + pauseAfterTry(attempts, leastPauseMs));
  if (!(await release(ctx, message, { attempts, nextTryAt }))) return;
  // Otherwise each look of a sender would read what waits behind it.
  if (deferrals === 0)
    await ctx.db
      .updateTable('notification_deliveries')
      .set({ nextTryAt })
      .where('userId', '=', userId)
      .where('channel', '=', channel)
      .where('deferrals', '=', 0)
      .where('nextTryAt', '<', nextTryAt)
      .execute();
  await recordTrouble(ctx.db, troubleOf(message), { code, isFinal: false }, ctx.now);
}

type Waiting = Partial<Pick<NotificationDelivery, 'attempts' | 'deferrals' | 'nextTryAt'>>;

/** @returns false when another worker has taken the message over */
async function release({ db }: CommandContext, { id, leaseId }: LeasedMessage, waiting: Waiting): Promise<boolean> {
  const released = await db
    .updateTable('notification_deliveries')
    .set({ ...waiting, leaseId: null, leasedUntil: null })
    .where('id', '=', id)
    .where('leaseId', '=', leaseId)
    .returning('id')
    .executeTakeFirst();
  return released !== undefined;
}

/** Clears the trouble of an account whose last failing message is gone. */
async function clearTroubleIfLast({ db }: CommandContext, message: LeasedMessage): Promise<void> {
  if (message.attempts === 0 && message.deferrals === 0) return;
  const failing = await db
    .selectFrom('notification_deliveries')
    .where('userId', '=', message.userId)
    .where((eb) => eb.or([eb('attempts', '>', 0), eb('deferrals', '>', 0)]))
    .select('id')
    .limit(1)
    .executeTakeFirst();
  if (failing === undefined) await clearTrouble(db, troubleOf(message));
}

function troubleOf({ userId }: LeasedMessage) {
  return { process: processRef('delivery', userId), step: 'send' };
}

/** First and longest retry pause, milliseconds, before jitter. */
const [first, longest] = [10_000, 600_000];

/**
 * Returns the pause before the next attempt: exponential backoff up to a quarter of an hour, without an end (NOT-4).
 * Half of it is jitter, so that failures of the same moment do not retry at the same moment.
 * @param tries failed attempts in a row, from 1
 * @param leastMs pause that the other side demands, such as the rate limit of the bot platform
 */
export function pauseAfterTry(tries: number, leastMs = 0, chance: () => number = Math.random): number {
  return Math.max(leastMs, Math.round(Math.min(first * 2 ** (tries - 1), longest) * (0.5 + chance())));
}

/** Attempts of one mail that the server refuses for now, over about a day; then the mail is dropped and an incident opened. */
const mostDeferrals = 14;

/** Returns the pause of one mail that the server refuses for now, milliseconds: exponential backoff with jitter. */
function pauseAfterDeferral(deferrals: number, chance: () => number = Math.random): number {
  return Math.round(first * 2 ** (deferrals - 1) * (0.5 + chance()));
}
