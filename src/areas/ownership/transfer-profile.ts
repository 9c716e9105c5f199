import type { TransferProfileArgs } from '../../../workflows/ownership-transfer.contract.ts';
import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { inList, json } from '../../platform/database/database.ts';
import { holdActingAdministrator, type User } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { notify } from '../notifications/index.ts';
import { findProfile, giveProfile, lockProfile, ownedWithProfile, type Profile } from '../profiles/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import { findConflicts } from './conflicts.ts';
import { countMoved } from './count-moved.ts';
import { moveFiles } from './move-files.ts';
import { ownershipNotifications } from './notifications.ts';

export interface ProfileTransfer extends TransferProfileArgs {
  /** 5-3000 characters; kept with the transfer and told to nobody. */
  reason: string;
}

/**
 * An administrator gives a profile to another account with all that stands on it: documents, applications, certificates, competitions,
 * agreements, registrations, and the files of all these (service.md "Administration", decisions.md §9). Wallets, ledger, invoices, issued
 * snapshots, histories and notifications stay as they are; nobody sees a licence's documents until the new owner consents. Both owners are
 * told, and the processes of what moved look again.
 * @throws {DomainError} forbidden; not_found; owner_changed, same_account, target_blocked, target_is_administrator or duplicate_profile,
 *   before a row is changed
 */
export async function transferProfile(
  ctx: CommandContext,
  profileId: number,
  { currentUserId, targetUserId, reason }: ProfileTransfer,
): Promise<Readonly<Profile>> {
  const { actorId, target } = await lockAccounts(ctx, currentUserId, targetUserId);
  const seen = await findProfile(ctx.db, profileId);
  if (seen === null) throw new DomainError('not_found');
  await requireTransferable(ctx, seen, currentUserId, target);

  const parts = ctx.extensions.of(ownedWithProfile);
  // The uppermost first, as every command takes them: agreements before their events, applications before documents. Nothing joins them
  // once the profile is locked: whatever makes a record on it holds it.
  const lockParts = async () => {
    for (const { lock } of parts.toReversed()) await lock?.(ctx, profileId);
  };
  await lockParts();
  const profile = await lockProfile(ctx, profileId);
  // What was made before the profile was locked, and after its like was: it would be given a file of the old owner meanwhile. Whoever holds
  // it and waits for the profile is a deadlock, after which one of the two begins anew.
  await lockParts();
  await requireTransferable(ctx, profile, currentUserId, target);

  const move = { profileId, fromUserId: currentUserId, toUserId: targetUserId };
  const moved = await countMoved(ctx.db, ctx.extensions, profile);
  await moveFiles(ctx, move);
  await giveProfile(ctx, profile, targetUserId);
  for (const part of parts) await part.move?.(ctx, move);

  await ctx.db
    .insertInto('ownership_transfers')
    .values({ ...move, actorId, reason, moved: json(moved), requestId: ctx.requestId, at: ctx.now })
    .execute();
  const subject = { kind: 'profile', id: profileId };
  await audit(ctx, 'profile.transferred', subject, { from: currentUserId, to: targetUserId });
  await notify(ctx, currentUserId, ownershipNotifications['profile.transferred'], subject, { side: 'old' });
  await notify(ctx, targetUserId, ownershipNotifications['profile.transferred'], subject, { side: 'new' });
  return profile;
}

/**
 * Holds both accounts and the administrator who acts, in the order of their ids: two transfers between them take turns, neither account is
 * blocked or made an administrator meanwhile, and whoever was demoted or blocked since the request came in moves nothing.
 * @throws {DomainError} forbidden; not_found, when there is no account to give it to
 */
async function lockAccounts(
  ctx: CommandContext,
  currentId: number,
  targetId: number,
): Promise<{ actorId: number; target: Pick<User, 'id' | 'status' | 'role'> }> {
  const users = await ctx.db
    .selectFrom('users')
    .select(['id', 'status', 'role'])
    .where('id', '=', inList([currentId, targetId, requireAdministrator(ctx)]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const actorId = await holdActingAdministrator(ctx);
  const target = users.find(({ id }) => id === targetId);
  if (target === undefined) throw new DomainError('not_found', { field: 'target_user_id' });
  return { actorId, target };
}

async function requireTransferable(
  { db }: CommandContext,
  profile: Readonly<Profile>,
  currentUserId: number,
  target: Pick<User, 'id' | 'status' | 'role'>,
): Promise<void> {
  if (profile.ownerId !== currentUserId) throw new DomainError('owner_changed');
  const [conflict] = await findConflicts(db, profile, target);
  if (conflict !== undefined) throw new DomainError(conflict.code, conflict.details);
}
