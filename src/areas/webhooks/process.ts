import { webhookContract } from '../../../workflows/contracts/webhook.contract.ts';
import { defineProcess, type ProcessState } from '../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../platform/workflows/due-at.ts';
import { readStandings, type WebhookStanding } from './queries.ts';

/** Pause before the next look for changes behind an open transaction, milliseconds. */
const blockedMs = 1_000;

/**
 * Describes a webhook's process at an instant (WHK-4): it sends when a change can be read or a delivery is due, and registers itself to be
 * woken by the next change.
 */
export function describeWebhook(webhook: WebhookStanding, now: Date): ProcessState {
  const { status, isReader, isAwaiting, isReadable, isBlocked, isFull, nextTryAt, keyEndsAt } = webhook;
  if (status !== 'enabled') return { ...idle(`Over: the webhook is ${status}.`), stage: status, isOver: true };
  const latest = latestWords(webhook);
  if (!isReader) return idle(`The account is blocked; its changes wait. ${latest}`);
  const hasCome = (at: Date | null) => at !== null && at <= now;
  const isDue = !isAwaiting || (isReadable && !isFull) || hasCome(nextTryAt) || hasCome(keyEndsAt);
  if (isDue) return { stage: 'due', waitingFor: 'none', details: `Sends changes. ${latest}`, isOver: false, isDue, next: null };
  const nextTry = nextTryAt && { at: nextTryAt, why: 'the next try' };
  const keyEnd = keyEndsAt && { at: keyEndsAt, why: 'the end of its API key' };
  const look = isBlocked && !isFull ? { at: new Date(now.getTime() + blockedMs), why: 'a change behind an open transaction' } : null;
  const dates = [nextTry, keyEnd, look].filter((each) => each !== null);
  const [next = null] = dates.toSorted((left, right) => left.at.getTime() - right.at.getTime());
  if (look !== null) return { ...idle(`Waits for an open transaction. ${latest}`), next };
  if (nextTry === null) return { ...idle(`Waits for the next change. ${latest}`), next };
  return { stage: 'retrying', waitingFor: 'date', details: `Waits for the next try. ${latest}`, isOver: false, isDue, next };
}

function idle(details: string): ProcessState {
  return { stage: 'enabled', waitingFor: 'none', details, isOver: false, isDue: false, next: null };
}

function latestWords({ lastTriedAt, lastStatus, lastProblem }: WebhookStanding): string {
  if (lastTriedAt === null) return 'Nothing was sent yet.';
  return lastProblem === null ? `The receiver last answered ${lastStatus}.` : `The receiver last gave no answer: ${lastProblem}.`;
}

const dueAt = dueAtOf('webhooks');

/** The process of a webhook; it ends when the webhook is disabled or deleted. */
export const webhookProcess = defineProcess(webhookContract, {
  subject: 'webhook',
  summary: (id) => `Webhook ${id}: sends changes to its receiver`,
  read: readStandings,
  describe: describeWebhook,
  since: ({ lastTriedAt, createdAt }) => lastTriedAt ?? createdAt,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('webhooks', "status = 'enabled'"),
  commands: {},
});
