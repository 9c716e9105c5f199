import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type Registration, RegistrationEntity } from './entities.ts';
import { findFacts } from './queries.ts';
import type { RegistrationRecord } from './record.ts';

/** A locked registration: a command changes `registration` and reads the rest. */
export interface LockedRegistration extends RegistrationRecord {
  registration: Locked<Registration>;
}

/**
 * Locks a registration for a change and reads the facts it depends on.
 * @throws {DomainError} not_found
 */
export async function lockRegistration(ctx: CommandContext, id: number): Promise<LockedRegistration> {
  return readFacts(ctx, await lockRow(ctx, id));
}

/**
 * Locks a registration for a command that judges its eligibility (REG-7).
 *
 * Also takes shared locks on its applications, documents and profile before reading them, so a parallel change is either seen or waits.
 *
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
  // A separate statement: the locked applications cannot change their documents any more.
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
  if (!facts) throw new Error(`registration ${id} was not found in its own transaction`);
  return { id, registration, ...facts };
}
