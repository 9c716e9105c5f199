import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { lockUser, lockWithAdministrator } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { AccountErasureEntity } from '../entities.ts';
import { privacyNotifications } from '../notifications.ts';
import { findBlockers } from './queries.ts';
import { saveErasure } from './save-erasure.ts';

interface ErasureRequest {
  userId: number;
  /** Milliseconds until the account is erased. */
  waitMs: number;
}

/**
 * Requests the erasure of the caller's own account; its process waits and erases it (PRV-4).
 * @throws {DomainError} invalid_state for a second request; erasure_blocked `{blocked_by}`
 */
export async function requestErasure(ctx: CommandContext, request: ErasureRequest): Promise<void> {
  await lockUser(ctx, request.userId);
  await begin(ctx, { ...request, reason: null });
}

/**
 * Requests the erasure of another account by an administrator, for a request on paper (PRV-4).
 * @throws {DomainError} forbidden, not_found, own_account; target_is_administrator; invalid_state for a second request, also of an erased
 *   account; erasure_blocked `{blocked_by}`
 */
export async function requestErasureOf(ctx: CommandContext, request: ErasureRequest & { reason: string }): Promise<void> {
  const { role } = await lockWithAdministrator(ctx, request.userId);
  if (role === 'administrator')
    throw new DomainError('target_is_administrator', undefined, 'Administrators request the erasure of their own account themselves.');
  await begin(ctx, request);
}

async function begin(ctx: CommandContext, { userId, waitMs, reason }: ErasureRequest & { reason: string | null }): Promise<void> {
  const { em, db, extensions, now, ip } = ctx;
  const earlier = await lockForChange(em, AccountErasureEntity, { id: userId });
  if (earlier !== null && earlier.status !== 'withdrawn')
    throw new DomainError('invalid_state', { status: earlier.status, allowed: earlier.status === 'waiting' ? ['withdraw'] : [] });
  const blockedBy = await findBlockers(db, extensions, userId);
  if (blockedBy.length > 0) throw new DomainError('erasure_blocked', { blocked_by: blockedBy });
  // In whole seconds, as clients read it.
  const endsAt = new Date(Math.floor((now.getTime() + waitMs) / 1000) * 1000);
  const subject = { kind: 'account_erasure', id: userId };
  await audit(ctx, 'account_erasure.requested', subject);
  await notify(ctx, userId, privacyNotifications['account_erasure.requested'], subject, { at: formatDateTime(endsAt) });
  await saveErasure(ctx, userId, { status: 'waiting', reason, requestIp: ip, endsAt, erasedAt: null });
}
