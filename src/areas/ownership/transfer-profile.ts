import type { RawBuilder } from 'kysely';
import type { TransferProfileArgs } from '../../../workflows/contracts/ownership-transfer.contract.ts';
import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList, json } from '../../platform/database/database.ts';
import { lockActingAdministrator, narrowRights, type User } from '../accounts/index.ts';
import { audit } from '../audit/index.ts';
import { copyFiles, giveFiles, lockFiles } from '../files/index.ts';
import { notify } from '../notifications/index.ts';
import { findProfile, giveProfile, lockProfile, ownedWithProfile, type OwnershipMove, type Profile } from '../profiles/index.ts';
import { countMoved, findConflicts, referencedFiles } from './queries.ts';
import { ownershipNotifications } from './notifications.ts';

interface ProfileTransfer extends TransferProfileArgs {
  /** 5-3000 characters; stored with the transfer, sent to neither owner. */
  reason: string;
}

/**
 * Transfers a profile and all its records to another account in one transaction (OWN-1).
 *
 * Wallets, ledger, invoices, issued snapshots, histories and notifications stay (OWN-2). Public sharing of licence documents ends until
 * the new owner consents (OWN-4). An unpaid application is payable by the new owner (OWN-8). Notifies both owners (OWN-5) and wakes the
 * processes of the moved records.
 * @throws {DomainError} forbidden; not_found; owner_changed, invalid_state for an erased account, same_account, target_blocked,
 *   target_is_administrator, duplicate_profile or quota_exceeded, before a row is changed
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
  // The lock order of every command: agreements before their events, applications before documents. A command that adds a record locks
  // the profile, so no record joins once the profile is locked.
  const lockParts = async () => {
    for (const { lock } of parts.toReversed()) await lock?.(ctx, profileId);
  };
  await lockParts();
  const profile = await lockProfile(ctx, profileId);
  // Locks records that were added between the first pass and the profile lock. A command that holds such a record and waits for the
  // profile deadlocks with the transfer; PostgreSQL ends one of the two, which is then retried.
  await lockParts();
  await requireTransferable(ctx, profile, currentUserId, target);

  const move = { profileId, fromUserId: currentUserId, toUserId: targetUserId };
  const moved = await countMoved(ctx.db, ctx.extensions, profile);
  await moveFiles(ctx, move);
  await giveProfile(ctx, profile, targetUserId);
  for (const part of parts) await part.move?.(ctx, move);
  await narrowRights(ctx, currentUserId);

  await ctx.db
    .insertInto('ownership_transfers')
    .values({ ...move, actorId, reason, moved: json(moved), requestId: ctx.requestId, at: ctx.now })
    .execute();
  const subject = { kind: 'profile', id: profileId };
  await audit(ctx, 'profile.transferred', subject, { from: currentUserId, to: targetUserId });
  // The last change that the former owner sees: later ones belong to the new owner (CHG-3).
  await audit(ctx, 'profile.transferred_away', subject, {}, { ownerId: currentUserId });
  await notify(ctx, currentUserId, ownershipNotifications['profile.transferred'], subject, { side: 'old' });
  await notify(ctx, targetUserId, ownershipNotifications['profile.transferred'], subject, { side: 'new' });
  return profile;
}

/**
 * Locks both accounts in the order of their ids, so that opposite transfers cannot deadlock, then the acting administrator in share mode:
 * the administrator's other commands end with such a lock (`checkActor`).
 *
 * Refuses an administrator who was demoted or blocked since the request (OWN-7).
 * @throws {DomainError} forbidden; not_found when the target account does not exist
 */
async function lockAccounts(
  ctx: CommandContext,
  currentId: number,
  targetId: number,
): Promise<{ actorId: number; target: Pick<User, 'id' | 'status' | 'role'> }> {
  const users = await ctx.db
    .selectFrom('users')
    .select(['id', 'status', 'role'])
    .where('id', '=', inList([currentId, targetId]))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  const actorId = await lockActingAdministrator(ctx);
  const target = users.find(({ id }) => id === targetId);
  if (target === undefined) throw new DomainError('not_found', { field: 'target_user_id' });
  return { actorId, target };
}

async function requireTransferable(
  { db, extensions }: CommandContext,
  profile: Readonly<Profile>,
  currentUserId: number,
  target: Pick<User, 'id' | 'status' | 'role'>,
): Promise<void> {
  if (profile.ownerId !== currentUserId) throw new DomainError('owner_changed');
  const [conflict] = await findConflicts(db, extensions, profile, target);
  if (conflict !== undefined) throw new DomainError(conflict.code, conflict.details);
}

/**
 * Gives the files of a profile to its new owner (OWN-6).
 *
 * A file that another profile of the old owner also references stays there; the moved records reference a copy. Unreferenced files stay.
 * Call it under the locks of all records, before they change their owner.
 */
async function moveFiles(ctx: CommandContext, { profileId, fromUserId, toUserId }: OwnershipMove): Promise<void> {
  const { db, extensions } = ctx;
  const referenced = await listIds(db, referencedFiles(db, extensions, [profileId]));
  const held = await lockFiles(ctx, fromUserId, referenced);
  const others = await db.selectFrom('profiles').select('id').where('ownerId', '=', fromUserId).where('id', '<>', profileId).execute();
  // Read after the files are locked: no record can start to reference one of them.
  const shared = await listIds(
    db,
    referencedFiles(
      db,
      extensions,
      others.map(({ id }) => id),
    ),
    held,
  );
  const isShared = new Set(shared);
  await giveFiles(
    ctx,
    held.filter((id) => !isShared.has(id)),
    toUserId,
  );
  if (shared.length === 0) return;
  const copies = await copyFiles(ctx, shared, toUserId);
  for (const { files } of extensions.of(ownedWithProfile)) await files?.exchange?.(ctx, profileId, copies);
}

/** @param among restricts the result to these ids; no restriction by default */
async function listIds(db: Database, referenced: RawBuilder<string>, among?: readonly string[]): Promise<string[]> {
  const files = await db
    .selectFrom('files')
    .select('id')
    .where('id', 'in', referenced)
    .$if(among !== undefined, (all) => all.where('id', '=', inList(among ?? [])))
    .orderBy('id')
    .execute();
  return files.map(({ id }) => id);
}
