import { DomainError } from '../../errors.ts';
import { mayReadOthers, type SignedIn } from '../../http/access/access.ts';
import type { DisabledReason, Webhook } from './entities.ts';

/** The account, and what the caller may read now (WHK-3). */
export interface WebhookCaller {
  userId: number;
  isAdministrator: boolean;
  /** May read the records of others. */
  seesAll: boolean;
  /** Null for a browser session. */
  keyId: number | null;
}

export function webhookCallerOf(principal: SignedIn): WebhookCaller {
  const { user, by } = principal;
  return {
    userId: user.id,
    isAdministrator: user.role === 'administrator',
    seesAll: mayReadOthers(principal),
    keyId: by.kind === 'key' ? by.key.id : null,
  };
}

/** Returns whether a caller may read all that a webhook of the account gets now: a key may have less than its owner (WHK-3). */
export function mayUse({ isAdministrator, seesAll }: WebhookCaller, webhook: Pick<Webhook, 'seesAll'>): boolean {
  return seesAll || !(webhook.seesAll && isAdministrator);
}

/** @throws {DomainError} insufficient_scope */
export function requireUse(by: WebhookCaller, webhook: Pick<Webhook, 'seesAll'>): void {
  if (!mayUse(by, webhook)) throw new DomainError('insufficient_scope', { scope: 'admin:read' });
}

const endedAccess: ReadonlySet<DisabledReason | null> = new Set(['password_changed', 'key_ended']);

/** Returns whether enabling a webhook gives back access that ended (WHK-9). */
export function endedWithAccess({ status, disabledBy }: Pick<Webhook, 'status' | 'disabledBy'>): boolean {
  return status === 'disabled' && endedAccess.has(disabledBy);
}

/** Returns whether two addresses are one; addresses of a former release are stored as they were written. */
export function isSameAddress(stored: string, url: string): boolean {
  return new URL(stored).href === url;
}

/**
 * Returns whether a change needs the person and not only the session or a key: another address, or access that ended (WHK-9). A key may
 * name another address.
 */
export function needsPerson(
  { keyId }: WebhookCaller,
  webhook: Pick<Webhook, 'url' | 'status' | 'disabledBy'>,
  { url, enabled }: { url?: string | undefined; enabled?: boolean | undefined },
): boolean {
  const isRedirected = url !== undefined && !isSameAddress(webhook.url, url);
  return (isRedirected && keyId === null) || (enabled === true && endedWithAccess(webhook));
}
