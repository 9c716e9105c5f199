import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { createMailGate, sendDeliveries } from '../src/notifications/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { triedLater } from './tried-later.ts';

/** What goes out of the registry to people. */
export function createNotificationActivities(platform: Platform) {
  const gated = { ...platform, mailer: createMailGate(platform.mailer) };
  return {
    /**
     * Sends what waits for an account. Where a channel is away it fails, for the process to show: when it is tried again is noted with the record,
     * so it is not tried again here.
     * @param isAsked somebody wants it now, whatever is left alone
     */
    sendNotifications: async (userId: number, { isAsked }: { isAsked: boolean }): Promise<void> => {
      const ref = processRef('delivery', userId);
      const isStopped = () => Context.current().cancellationSignal.aborted;
      const away = await triedLater(() => heartbeating(() => sendDeliveries(gated, ownCaller(ref), userId, { isAsked, isStopped })));
      if (away.length === 0) return;
      for (const { channel, cause } of away) platform.log.warn({ channel, cause }, 'notifications could not be handed over; they wait');
      const words = away.map(({ channel }) => (channel === 'mail' ? 'the mail server' : 'the platform of the bot')).join(' and ');
      throw ApplicationFailure.create({ message: `${words} takes nothing now`, type: 'service_unavailable', nonRetryable: true });
    },
  };
}
