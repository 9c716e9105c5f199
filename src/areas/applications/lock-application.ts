import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type LockedWallet, lockWallets } from '../wallet/index.ts';
import { hasYearEnded } from './due-step.ts';
import { type Application, ApplicationEntity } from './entities.ts';
import { findFacts, findPurses } from './queries.ts';
import type { ApplicationRecord } from './record.ts';

/** The record of an application under its row lock: `application` is what a command changes, the rest is what it decides by. */
export interface LockedApplication extends ApplicationRecord {
  application: Locked<Application>;
}

/**
 * Takes the lock under which an application changes, and reads what it stands on.
 * @throws {DomainError} not_found
 */
export async function lockApplication(ctx: CommandContext, id: number): Promise<LockedApplication> {
  return withFacts(ctx, await lockRow(ctx, id));
}

/**
 * The same, and no attached document changes until the transaction ends: what was decided about them holds, and none of them is
 * changed as "unused" while it becomes used.
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

/** The same with the wallets that it may move money of. */
export interface LockedWithWallet extends LockedApplication {
  /** Its owner's, who pays. */
  wallet: LockedWallet;
  /** Whose wallet has paid, and is paid back: once the application has changed hands not the owner's. Null while nothing is paid. */
  payerId: number | null;
}

/**
 * The same for commands that may move money: the wallets' locks come before the application's, always in this order. Those are its owner's
 * and that of who has paid it.
 * @throws {DomainError} not_found, also for who was its owner just now; service_unavailable when it changed hands meanwhile
 */
export async function lockApplicationAndWallet(ctx: CommandContext, id: number): Promise<LockedWithWallet> {
  const seen = await findPurses(ctx.db, id);
  if (seen === null) throw new DomainError('not_found');
  const { ownerId, payerId } = seen;
  const wallets = await lockWallets(ctx, payerId === null ? [ownerId] : [ownerId, payerId]);
  const wallet = wallets.find(({ userId }) => userId === ownerId);
  if (wallet === undefined) throw new Error(`the wallet of user ${ownerId} was not locked`);
  const locked = await lockApplication(ctx, id);
  if (locked.application.ownerId !== ownerId && actingUserId(ctx.actor) === ownerId) throw new DomainError('not_found');
  // It changed hands between the two readings; the next try sees the new owner.
  if (locked.application.ownerId !== ownerId) throw new DomainError('service_unavailable');
  // What was paid in between was paid by its owner.
  const isPaidSince = locked.application.paymentTransactionId !== seen.paymentTransactionId;
  return { ...locked, wallet, payerId: isPaidSince ? ownerId : payerId };
}

/** The record of a row that this transaction holds. What was changed of it must be flushed before. */
export async function withFacts(ctx: CommandContext, application: Locked<Application>): Promise<LockedApplication> {
  const facts = await findFacts(ctx.db, application.id);
  if (!facts) throw new Error(`application ${application.id} vanished under its own transaction`);
  return { id: application.id, application, ...facts };
}

async function lockRow(ctx: CommandContext, id: number): Promise<Locked<Application>> {
  const application = await lockForChange(ctx.em, ApplicationEntity, { id });
  if (!application) throw new DomainError('not_found');
  return application;
}

/** Every change of an application is seen by its revision (decisions.md §4). */
export function markChanged(ctx: CommandContext, application: Locked<Application>): void {
  application.revision += 1;
  application.updatedAt = ctx.now;
}

/**
 * Once its year has ended an application only closes, whether or not its process has come to it yet: nothing could be in force
 * any more, and nobody is charged for that (decisions.md §4).
 * @throws {DomainError} invalid_state
 */
export function requireYearOpen(ctx: CommandContext, application: Readonly<Application>): void {
  if (hasYearEnded(application, ctx.now))
    throw new DomainError('invalid_state', { status: application.status, allowed: [] }, 'The year of the application has ended.');
}
