import { Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import { randomBytes } from 'node:crypto';
import { createMailGate, sendDeliveries, sendRound } from '../src/areas/notifications/index.ts';
import type { Platform } from '../src/platform/platform.ts';
import { processRef } from '../src/platform/process-ref.ts';
import { ownCaller } from './execute.ts';
import { heartbeating } from './heartbeating.ts';
import { triedLater } from './tried-later.ts';

/** Activities that send notifications. */
export function createNotificationActivities(platform: Platform) {
  const gated = { ...platform, mailer: createMailGate(platform.mailer) };
  return {
    /**
     * Sends what waits for an account (NOT-4). Fails when a channel is away, so that the process shows it. The record holds the time of the
     * next attempt, so Temporal does not retry it.
     * @param isAsked send now, also what is postponed
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
     * Sends what waits for many accounts. Accounts with a failing channel are left to their processes; fails only when the database does.
     * @param round id of the workflow
     */
    sendRound: async (userIds: readonly number[], round: string): Promise<void> => {
      const sender = { holder: holderOf(round), callerOf: ownCaller, isStopped };
      await triedLater(() => heartbeating(() => sendRound(gated, userIds, sender)));
    },
  };
}

/** Unique to the attempt: an earlier one may still run without Temporal's knowledge. */
function holderOf(workflowId: string): string {
  return `${workflowId}#${randomBytes(4).toString('hex')}`;
}

function isStopped(): boolean {
  return Context.current().cancellationSignal.aborted;
}
