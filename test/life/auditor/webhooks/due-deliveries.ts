import { isOf } from '../changes/change-reading.ts';
import type { ChangeLog, Logged } from '../changes/change-log.ts';
import { type Deliveries, isTaken, pauses } from './deliveries.ts';
import type { Delivered } from '../../receivers.ts';
import { type Inquiry, patienceMs } from '../inquiry.ts';
import { type Epoch, wants, type Webhook } from './webhook-records.ts';

/** Time within which the registry surely reads a change for a webhook, milliseconds. */
const readMs = 6000;
/** Time of the machine within which the registry has surely noted an answer. */
export const settleMs = 15_000;
const [minute, day] = [60_000, 86_400_000];

/** Whether a webhook gets a change: what it gets may have changed before the registry read the change for it. */
export function fateOf(webhook: Webhook, entry: Logged): 'certain' | 'never' | 'open' {
  const { createdAt: created } = webhook;
  if (entry.readAt < (webhook.addresses[0]?.since ?? 0)) return 'never';
  const found = new Set<boolean | null>();
  for (const epoch of webhook.epochs) {
    if (!epoch.isOn || epoch.to < entry.after) continue;
    found.add(matches(epoch, entry));
    const isLong = epoch.to - Math.max(entry.readAt, epoch.from) > readMs;
    if (!isLong) continue;
    const later = webhook.epochs.slice(webhook.epochs.indexOf(epoch) + 1);
    if (found.size > 1 || found.has(null)) return 'open';
    // A promotion shows what the log has since the last change of the account; a demotion drops what waits (WHK-3).
    if (!found.has(true)) return later.some((one) => one.isOn && matches(one, entry) !== false) ? 'open' : 'never';
    return entry.after >= created && later.every(({ audience }) => isOf(entry, audience) === true) ? 'certain' : 'open';
  }
  return found.has(true) || found.has(null) ? 'open' : 'never';
}

function matches({ audience, types }: Epoch, entry: Logged): boolean | null {
  return wants(types, entry.change.type) ? isOf(entry, audience) : false;
}

/** Changes that a webhook must have got, and has not: each with the changes before it. */
export function* missingOf(webhook: Webhook, deliveries: Deliveries, log: ChangeLog, now: Date): Generator<Logged> {
  for (const entry of log.logged) {
    const { id, time } = entry.change;
    if (deliveries.hasTaken(id) || fateOf(webhook, entry) !== 'certain' || deliveries.isGivenUp(id)) continue;
    // Deliveries are kept for 30 days (WHK-6).
    if (now.getTime() - Date.parse(time) < 29 * day) yield entry;
  }
}

/** A change that comes before one of its record that came: nothing of a record overtakes (WHK-4). */
export function overtakenBy(webhook: Webhook, deliveries: Deliveries, log: ChangeLog, now: Date): Logged | null {
  const latest = new Map<string, number>();
  for (const { id, change } of deliveries.judged) latest.set(change.subject, Math.max(log.indexOf(id), latest.get(change.subject) ?? -1));
  for (const entry of missingOf(webhook, deliveries, log, now))
    if (log.indexOf(entry.change.id) < (latest.get(entry.change.subject) ?? -1)) return entry;
  return null;
}

/** A change that should have come by now; null when each that is missing has a reason to wait (WHK-5). */
export function overdueOf(
  webhook: Webhook,
  deliveries: Deliveries,
  { model: { changes: log }, now, registryTimeAt }: Pick<Inquiry, 'model' | 'now' | 'registryTimeAt'>,
): Logged | null {
  const epoch = webhook.epochs.at(-1);
  if (!epoch?.isOn || Date.now() - epoch.from < patienceMs || Date.now() - webhook.freshAt < patienceMs) return null;
  // The registry counts a pause from the instant at which it notes the answer, which a jump of the clock may precede.
  const isLater = ({ at }: Delivered, ms: number) => registryTimeAt(at + settleMs) + ms + 2 * minute > now.getTime();
  const busy = deliveries.judged.findLast(
    ({ answer, at }) => answer?.status === 429 && answer.retryAfter !== null && at >= webhook.freshAt,
  );
  if (busy && isLater(busy, (busy.answer?.retryAfter ?? 0) * 1000)) return null;
  if (isDead(deliveries)) return null;
  for (const entry of missingOf(webhook, deliveries, log, now)) {
    if (Date.now() - entry.readAt < patienceMs) continue;
    const tries = deliveries.of(entry.change.subject, webhook.freshAt);
    const latest = tries.at(-1);
    if (!latest || isTaken(latest)) return entry;
    const count = tries.filter(({ id }) => id === latest.id).length;
    const pause = (pauses[count - 1] ?? day) * 1.2;
    if (!isLater(latest, Math.max(pause, (latest.answer?.retryAfter ?? 0) * 1000))) return entry;
  }
  return null;
}

/** After fifty failures in a row single tries find out whether the receiver lives (WHK-4). */
function isDead({ judged }: Deliveries): boolean {
  return judged.length - 1 - judged.findLastIndex(isTaken) >= 50;
}

/** Records whose latest try has failed (WHK-10). @returns tries and status of the latest, by record */
export function failingOf(webhook: Webhook, deliveries: Deliveries): Map<string, { attempts: number; status: number | null }> {
  const failing = new Map<string, { attempts: number; status: number | null }>();
  const subjects = new Set(deliveries.judged.filter(({ id }) => !id.startsWith('test-')).map(({ change }) => change.subject));
  for (const subject of subjects) {
    const tries = deliveries.of(subject, webhook.freshAt);
    const latest = tries.at(-1);
    if (!latest || isTaken(latest)) continue;
    failing.set(subject, { attempts: tries.length - 1 - tries.findLastIndex(isTaken), status: latest.answer?.status ?? null });
  }
  return failing;
}

/**
 * The first failure since the receiver takes nothing; null when it took the latest change. The registry counts in the order of the answers.
 * @param marginMs by how much later than the last delivery the failure ended
 */
export function failingSince(webhook: Webhook, { judged }: Deliveries, marginMs = 0): Delivered | null {
  const changes = judged.filter(({ id, at }) => !id.startsWith('test-') && at >= webhook.freshAt);
  const takenAt = Math.max(0, ...changes.filter(isTaken).map(endOf));
  return changes.find((one) => !isTaken(one) && endOf(one) >= takenAt + marginMs) ?? null;
}

const endOf = ({ endedAt }: Delivered): number => endedAt ?? Number.POSITIVE_INFINITY;
