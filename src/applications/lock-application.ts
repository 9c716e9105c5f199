import { LockMode } from '@mikro-orm/postgresql';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockWallet } from '../wallet/index.ts';
import { ApplicationEntity } from './entities.ts';
import type { Application } from './entities.ts';
import { hasYearEnded } from './due-step.ts';
import { findApplication, findOwnerOfApplication } from './queries.ts';
import type { ApplicationRecord } from './record.ts';

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
  const application = await ctx.em.findOne(ApplicationEntity, { id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  const record = application && (await findApplication(ctx.em, id));
  if (!application || !record) throw new DomainError('not_found');
  return { application, record };
}

/**
 * The same for commands that may move money: the wallet's lock comes before the application's, always in this order.
 * @throws {DomainError} not_found
 */
export async function lockApplicationAndWallet(ctx: CommandContext, id: number): Promise<LockedApplication> {
  const ownerId = await findOwnerOfApplication(ctx.em, id);
  if (ownerId === null) throw new DomainError('not_found');
  await lockWallet(ctx, ownerId);
  return lockApplication(ctx, id);
}

/** Reads again what the command has written so far. */
export async function rereadRecord(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  await ctx.em.flush();
  const record = await findApplication(ctx.em, id);
  if (!record) throw new DomainError('not_found');
  return record;
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
