import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/commands/context.ts';
import { lockAllForChange, type Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type User, UserEntity, type UserRole, type UserStatus } from '../entities.ts';
import type { AccessChange } from '../mails.ts';
import { closeOpenReset } from '../passwords/set-password.ts';
import { isActiveAdministrator } from '../policy.ts';
import { endImpersonationsOf } from '../sessions/end-impersonations.ts';
import { endSessions } from '../sessions/start-session.ts';

/** New role or status of an account; an omitted part stays as it is. */
export interface UserChange {
  userId: number;
  role?: UserRole | undefined;
  status?: UserStatus | undefined;
}

/**
 * Changes the role or status of an account (ACC-10, ACC-11, ACC-17). Any change ends all its sessions and impersonations, so that no
 * session keeps former rights. Blocking also closes the recovery link.
 *
 * Locks both accounts and checks under the lock that the caller still is an administrator. Administrators cannot change their own
 * account, so at least one is left: of two who demote each other at once, the later is refused.
 * @returns null when the account already has this role and status; nothing is written
 * @throws {DomainError} not_found; own_account; forbidden, when the caller is no administrator any more; invalid_state for an erased
 *   account (PRV-5); email_not_confirmed for a new administrator (ACC-34)
 */
export async function changeUser(ctx: CommandContext, { userId, role, status }: UserChange): Promise<AccessChange | null> {
  const user = await lockWithAdministrator(ctx, userId);
  const changed = {
    role: role === undefined || role === user.role ? null : role,
    status: status === undefined || status === user.status ? null : status,
  };
  if (changed.role === null && changed.status === null) return null;
  if (user.erasedAt !== null) throw new DomainError('invalid_state', { status: 'erased', allowed: [] });
  if (changed.role === 'administrator' && !user.emailConfirmed)
    throw new DomainError(
      'email_not_confirmed',
      undefined,
      'An administrator needs a confirmed address: its holder uses the link of its mail.',
    );
  const { email, language, emailConfirmed, role: formerRole } = user;
  if (changed.role !== null) await changeRole(ctx, user, changed.role);
  if (changed.status !== null) await changeStatus(ctx, user, changed.status);
  user.updatedAt = ctx.now;
  // Before the sessions end: a session that impersonates this account belongs to its administrator and stays.
  await endImpersonationsOf(ctx, userId);
  await endSessions(ctx, { userId });
  return { owner: { email, language, emailConfirmed, role: formerRole }, at: ctx.now, ...changed };
}

/**
 * Locks another account and the acting administrator's own (ACC-10, ACC-12).
 * @throws {DomainError} not_found; own_account; forbidden, when the caller is no administrator any more
 */
export async function lockWithAdministrator({ em, actor }: CommandContext, userId: number): Promise<Locked<User>> {
  const actorId = isActingAsAdministrator(actor) ? accountableUserId(actor) : null;
  if (actorId === null) throw new DomainError('forbidden');
  if (actorId === userId) throw new DomainError('own_account');
  const locked = await lockAllForChange(em, UserEntity, { id: { $in: [actorId, userId] } }, { id: 'asc' });
  const administrator = locked.find(({ id }) => id === actorId);
  if (!administrator || !isActiveAdministrator(administrator)) throw new DomainError('forbidden');
  const user = locked.find(({ id }) => id === userId);
  if (!user) throw new DomainError('not_found');
  return user;
}

async function changeRole(ctx: CommandContext, user: Locked<User>, role: UserRole): Promise<void> {
  await audit(ctx, 'user.role_changed', { kind: 'user', id: user.id }, { from: user.role, to: role });
  user.role = role;
  if (role === 'user') user.rightsNarrowedAt = new Date();
}

/**
 * Notes that an account lost a right to read: answers that were stored for it before are not replayed (API-6). The caller has locked the
 * account.
 */
export async function narrowRights({ db }: CommandContext, userId: number): Promise<void> {
  await db.updateTable('users').set({ rightsNarrowedAt: new Date() }).where('id', '=', userId).execute();
}

async function changeStatus(ctx: CommandContext, user: Locked<User>, status: UserStatus): Promise<void> {
  await audit(ctx, status === 'blocked' ? 'user.blocked' : 'user.unblocked', { kind: 'user', id: user.id });
  user.status = status;
  if (status === 'blocked') await closeOpenReset(ctx, user);
}
