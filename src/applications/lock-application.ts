import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { sendPrepared } from '../platform/database/prepared.ts';
import { lockWallet } from '../wallet/index.ts';
import type { LockedWallet } from '../wallet/index.ts';
import { ApplicationEntity } from './entities.ts';
import type { Application } from './entities.ts';
import { hasYearEnded } from './due-step.ts';
import { findApplication, findOwnerOfApplication } from './queries.ts';
import type { ApplicationRecord } from './record.ts';
import { lockById } from '../platform/database/load.ts';

/** An application under its row lock: `application` is what a command changes, `record` what it decides by. */
export interface LockedApplication {
  application: Application;
  record: ApplicationRecord;
}

/**
 * Takes the lock under which an application changes.
 * @throws {DomainError} not_found
 */
export async function lockApplication(ctx: CommandContext, id: number): Promise<LockedApplication> {
  return both(hold(ctx, id), readRecord(ctx, id));
}

/**
 * The same, and no attached document changes until the transaction ends: what was decided about them holds, and none of them is
 * changed as "unused" while it becomes used.
 * @throws {DomainError} not_found
 */
export async function lockApplicationAndDocuments(ctx: CommandContext, id: number): Promise<LockedApplication> {
  const application = hold(ctx, id);
  sendPrepared(
    ctx.em,
    `select d.id from application_documents ad join documents d on d.id = ad.document_id
     where ad.application_id = $1 order by d.id for share of d`,
    [id],
  );
  return both(application, readRecord(ctx, id));
}

/**
 * The same for commands that may move money: the wallet's lock comes before the application's, always in this order.
 * @throws {DomainError} not_found; service_unavailable when it changed hands meanwhile
 */
export async function lockApplicationAndWallet(ctx: CommandContext, id: number): Promise<LockedApplication & { wallet: LockedWallet }> {
  const ownerId = await findOwnerOfApplication(ctx.em, id);
  if (ownerId === null) throw new DomainError('not_found');
  const wallet = await lockWallet(ctx, ownerId);
  const locked = await lockApplication(ctx, id);
  // It changed hands between the two readings; the next try sees the new owner.
  if (locked.application.ownerId !== wallet.userId) throw new DomainError('service_unavailable');
  return { ...locked, wallet };
}

/** Both statements are on their way together; the second sees what the first has waited for. */
async function both(application: Promise<Application>, record: Promise<ApplicationRecord>): Promise<LockedApplication> {
  const [locked, read] = await Promise.all([application, record]);
  return { application: locked, record: read };
}

async function hold(ctx: CommandContext, id: number): Promise<Application> {
  const application = await lockById(ctx.em, ApplicationEntity, id);
  if (!application) throw new DomainError('not_found');
  return application;
}

async function readRecord(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const record = await findApplication(ctx.em, id);
  if (!record) throw new DomainError('not_found');
  return record;
}

/** Writes what the command has changed so far and reads it again with all that belongs to it. */
export async function rereadRecord(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  await ctx.em.flush();
  return readRecord(ctx, id);
}

/** The record with what a submission, a payment or an approval has changed so far; for deciding what follows without another reading. */
export function recordAfter({ application, record }: LockedApplication): ApplicationRecord {
  const { status, paid, paidAt, paymentTransactionId, refundTransactionId, reviewNote, revision } = application;
  const { submittedAt, resubmissionDueSince, approvedAt, updatedAt } = application;
  const changed = { status, paid, paidAt, paymentTransactionId, refundTransactionId, reviewNote, revision };
  return { ...record, ...changed, submittedAt, resubmissionDueSince, approvedAt, updatedAt };
}

/** Every change of an application is seen by its revision (decisions.md §4). */
export function markChanged(ctx: CommandContext, application: Application): void {
  application.revision += 1;
  application.updatedAt = ctx.now;
}

/**
 * Once its year has ended an application only closes, whether or not its process has come to it yet: nothing could be in force
 * any more, and nobody is charged for that (decisions.md §4).
 * @throws {DomainError} invalid_state
 */
export function requireYearOpen(ctx: CommandContext, application: Application): void {
  if (hasYearEnded(application, ctx.now))
    throw new DomainError('invalid_state', { status: application.status, allowed: [] }, 'The year of the application has ended.');
}
