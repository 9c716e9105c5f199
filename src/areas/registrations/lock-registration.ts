import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type Registration, RegistrationEntity } from './entities.ts';
import { findFacts } from './queries.ts';
import type { RegistrationRecord } from './record.ts';

/** The record of a registration under its row lock: `registration` is what a command changes, the rest is what it decides by. */
export interface LockedRegistration extends RegistrationRecord {
  registration: Locked<Registration>;
}

/**
 * Takes the lock under which a registration changes, and reads what it stands on.
 * @throws {DomainError} not_found
 */
export async function lockRegistration(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  return readFacts(ctx, await lockRow(ctx, id));
}

/**
 * The same for a command that judges what the registration stands on. Its applications, their documents, its papers and its profile are
 * held before they are read, so a change of one that is under way is either seen or waits.
 * @throws {DomainError} not_found
 */
export async function lockToJudge(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  const registration = await lockRow(ctx, id);
  const licences = ctx.db.selectFrom('registration_licences as rl').where('rl.registrationId', '=', id).select('rl.applicationId as id');
  const papers = ctx.db
    .selectFrom('registration_documents as rd')
    .where('rd.registrationId', '=', id)
    .where('rd.isAttached', '=', true)
    .select('rd.documentId as id');
  await ctx.db.selectFrom('applications').select('id').where('id', 'in', licences).orderBy('id').forShare().execute();
  // By a statement of its own: which documents an application has stays as it is from here on.
  const behind = ctx.db.selectFrom('application_documents as ad').where('ad.applicationId', 'in', licences).select('ad.documentId as id');
  await ctx.db.selectFrom('documents').select('id').where('id', 'in', papers.union(behind)).orderBy('id').forShare().execute();
  await ctx.db.selectFrom('profiles').select('id').where('id', '=', registration.profileId).forShare().execute();
  return readFacts(ctx, registration);
}

async function lockRow(ctx: CommandContext, id: number): Promise<Locked<Registration>> {
  const registration = await lockForChange(ctx.em, RegistrationEntity, { id });
  if (!registration) throw new DomainError('not_found');
  return registration;
}

async function readFacts(ctx: CommandContext, registration: Locked<Registration>): Promise<LockedRegistration> {
  const { id } = registration;
  const facts = await findFacts(ctx.db, id);
  if (!facts) throw new Error(`registration ${id} vanished under its own transaction`);
  return { id, registration, ...facts };
}
