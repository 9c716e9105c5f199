import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type LockedWallet, lockWallets } from '../wallet/index.ts';
import { type Application, ApplicationEntity } from './entities.ts';
import { findPayer, withFacts } from './queries.ts';
import type { LockedApplication } from './record.ts';

/**
 * Locks an application for change and reads the records behind it.
 * @throws {DomainError} not_found
 */
export async function lockApplication(ctx: CommandContext, id: number): Promise<LockedApplication> {
  return withFacts(ctx, await lockRow(ctx, id));
}

/**
 * Locks an application like `lockApplication`, and its attached documents in share mode.
 *
 * Otherwise an owner could change a document as "unused" while this transaction submits it.
 * @throws {DomainError} not_found
 */
export async function lockApplicationAndDocuments(ctx: CommandContext, id: number): Promise<LockedApplication> {
  const application = await lockRow(ctx, id);
  await ctx.db
    .selectFrom('application_documents as ad')
    .innerJoin('documents as d', 'd.id', 'ad.documentId')
    .select('d.id')
    .where('ad.applicationId', '=', id)
    .orderBy('d.id')
    .forShare('d')
    .execute();
  return withFacts(ctx, application);
}

/** An application under its lock, with the locked wallets of owner and payer. */
export interface LockedWithWallet extends LockedApplication {
  /** The wallet of the owner, who pays. */
  wallet: LockedWallet;
  /** User whose wallet paid and receives a refund; differs from the owner after a transfer. Null while unpaid. */
  payerId: number | null;
}

/**
 * Locks the wallets of owner and payer, then the application, for commands that may move money. The order avoids deadlocks.
 * @throws {DomainError} not_found, also for the previous owner; service_unavailable when the owner changed between read and lock
 */
export async function lockApplicationAndWallet(ctx: CommandContext, id: number): Promise<LockedWithWallet> {
  const seen = await findPayer(ctx.db, id);
  if (seen === null) throw new DomainError('not_found');
  const { ownerId, payerId } = seen;
  const wallets = await lockWallets(ctx, payerId === null ? [ownerId] : [ownerId, payerId]);
  const wallet = wallets.find(({ userId }) => userId === ownerId);
  if (wallet === undefined) throw new Error(`the wallet of user ${ownerId} was not locked`);
  const locked = await lockApplication(ctx, id);
  if (locked.application.ownerId !== ownerId && actingUserId(ctx.actor) === ownerId) throw new DomainError('not_found');
  // The owner changed between read and lock; a retry sees the new owner.
  if (locked.application.ownerId !== ownerId) throw new DomainError('service_unavailable');
  // Only the owner can have paid between read and lock.
  const isPaidSince = locked.application.paymentTransactionId !== seen.paymentTransactionId;
  return { ...locked, wallet, payerId: isPaidSince ? ownerId : payerId };
}

async function lockRow(ctx: CommandContext, id: number): Promise<Locked<Application>> {
  const application = await lockForChange(ctx.em, ApplicationEntity, { id });
  if (!application) throw new DomainError('not_found');
  return application;
}
