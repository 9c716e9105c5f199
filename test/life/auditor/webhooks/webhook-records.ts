import type { Touched } from '../area.ts';
import type { Audience } from '../changes/change-reading.ts';
import type { Key } from '../accounts/account-records.ts';
import type { Model } from '../model.ts';

export type DisabledReason = 'owner' | 'gone' | 'failed' | 'password_changed' | 'key_ended' | 'no_second_factor';

/** A receiver of changes of an account. Times without a name are of the machine, milliseconds. */
export interface Webhook {
  id: number;
  ownerId: number;
  types: string[];
  /** Null while it is enabled. */
  disabled: DisabledReason | null;
  isDeleted: boolean;
  /** It may have been disabled unseen since it was enabled. */
  isDoubted: boolean;
  /** Made, or sent to its address, with `admin:read` (WHK-3). */
  seesAll: boolean;
  /** The key with which it ends (WHK-9). */
  keyId: number | null;
  /** The newest first. A former one signs too until its end by the registry's clock (WHK-2). */
  secrets: { secret: string; since: number; until: Date | null }[];
  /** Each address with the time since when. */
  addresses: { url: string; since: number }[];
  /** What it gets, and since when; the latest last. */
  epochs: Epoch[];
  replays: { index: number; at: number }[];
  /** Ids of tests, with the time of the request by the registry's clock. */
  tests: Map<string, Date>;
  createdAt: number;
  /** Since when a change is overdue; null while none is. */
  overdueSince: number | null;
  /** When it was made, sent elsewhere or enabled: everything is tried afresh. */
  freshAt: number;
}

/** A time in which a webhook gets the same changes. */
export interface Epoch {
  from: number;
  to: number;
  /** Enabled, of an active account. */
  isOn: boolean;
  audience: Audience;
  types: readonly string[];
}

/** Whether a webhook of these types wants a change. */
export function wants(types: readonly string[], type: string): boolean {
  return types.some((filter) => filter === '*' || filter === type || (filter.endsWith('.*') && type.startsWith(filter.slice(0, -1))));
}

/** What a webhook gets now (WHK-3). */
function stateOf(model: Model, { ownerId, disabled, isDeleted, seesAll, types }: Webhook): Pick<Epoch, 'isOn' | 'audience' | 'types'> {
  const owner = model.accounts.get(ownerId);
  return {
    isOn: disabled === null && !isDeleted && owner?.status === 'active',
    audience: seesAll && owner?.role === 'administrator' ? 'all' : ownerId,
    types,
  };
}

/** Begins a new time for each webhook that gets something else now. @param since when the last step began */
export function followRights(model: Model, since: number): void {
  for (const webhook of model.webhooks.values()) {
    const state = stateOf(model, webhook);
    const latest = webhook.epochs.at(-1);
    if (latest && latest.isOn === state.isOn && latest.audience === state.audience && latest.types === state.types) continue;
    if (latest) latest.to = Date.now();
    webhook.epochs.push({ ...state, from: since, to: Number.POSITIVE_INFINITY });
  }
}

/** Whether the webhook got a change of its audience and types at some instant of a time. */
export function isPermitted(
  webhook: Webhook,
  entry: { type: string; isOf(audience: Audience): boolean },
  from: number,
  to: number,
): boolean {
  return webhook.epochs.some(
    (epoch) => epoch.isOn && epoch.to >= from && epoch.from <= to && wants(epoch.types, entry.type) && entry.isOf(epoch.audience),
  );
}

/**
 * The end of access disables the webhooks that it made; one that was disabled before is enabled in the same way (WHK-9).
 * @returns those that stand otherwise now
 */
export function endWebhooks(model: Model, reason: 'password_changed' | 'key_ended', isEnded: (webhook: Webhook) => boolean): Touched[] {
  const ended = [...model.webhooks.values()].filter((webhook) => !webhook.isDeleted && webhook.disabled !== reason && isEnded(webhook));
  for (const webhook of ended) {
    if (webhook.disabled === null) noteDisabled(model, webhook, reason);
    webhook.disabled = reason;
  }
  return ended.map(({ id }) => ({ kind: 'webhook', id }));
}

/** Disabling is audited once and told to the owner (WHK-5, WHK-9); the mail about a new password tells of it too (ACC-18). */
export function noteDisabled(model: Model, { id, ownerId, isDoubted }: Webhook, reason: DisabledReason): void {
  if (isDoubted) return;
  model.happened('webhook.disabled', 'webhook', id);
  if (reason === 'password_changed') model.notices.allow(ownerId, 'webhook.disabled', id);
  else model.expectNotified(ownerId, 'webhook.disabled', id);
}

/** The registry may have disabled it, and no answer shows whether it has. */
export function doubtDisabled(model: Model, webhook: Webhook): void {
  if (webhook.disabled !== null || webhook.isDoubted) return;
  webhook.isDoubted = true;
  model.mayHappen('webhook.disabled', 'webhook', webhook.id);
  model.notices.allow(webhook.ownerId, 'webhook.disabled', webhook.id);
}

/** A block ends no key. */
export const hasEnded = ({ isRevoked, expiresAt }: Key, now: Date): boolean => isRevoked || now >= expiresAt;
