import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { createMailGate, sendDeliveries, sendRound } from '../src/areas/notifications/index.ts';
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
      const sender = { caller: ownCaller(ref), holder: holderOf(ref), isStopped };
      const { away, refusedForNow } = await triedLater(() => heartbeating(() => sendDeliveries(gated, sender, userId, { isAsked })));
      if (away.length === 0 && refusedForNow === 0) return;
      const words = away.map(({ channel }) => (channel === 'mail' ? 'the mail server' : 'the platform of the bot')).join(' and ');
      const message = away.length > 0 ? `${words} takes nothing now` : 'the mail server refuses a mail for now';
      throw ApplicationFailure.create({ message, type: 'service_unavailable', nonRetryable: true });
    },

    /**
     * Sends what waits for many accounts; whatever is away is their own processes' business. It fails only where the database does.
     * @param round id of the workflow
     */
    sendRound: async (userIds: readonly number[], round: string): Promise<void> => {
      const sender = { holder: holderOf(round), callerOf: ownCaller, isStopped };
      await triedLater(() => heartbeating(() => sendRound(gated, userIds, sender)));
    },
  };
}

/** Of one attempt: the one before may still be at work, though Temporal has heard nothing of it. */
function holderOf(workflowId: string): string {
  return `${workflowId}#${randomBytes(4).toString('hex')}`;
}

function isStopped(): boolean {
  return Context.current().cancellationSignal.aborted;
}
