import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { ownerCheck } from '../audit/index.ts';
import { type ArchivedVehicle, type Profile, ProfileEntity } from './entities.ts';

export async function findProfile(db: Database, id: number): Promise<Readonly<Profile> | null> {
  const [profile] = await findProfiles(db, [id]);
  return profile ?? null;
}

/** Finds profiles by ids, oldest first; missing ones are left out. */
export function findProfiles(db: Database, ids: readonly number[]): Promise<Readonly<Profile>[]> {
  return db.selectFrom('profiles').selectAll().where('id', '=', inList(ids)).orderBy('id').execute();
}

/** Lists all profiles of an account, oldest first. Not paged: a quota limits them (PRO-10). */
export function listProfiles(db: Database, ownerId: number): Promise<Readonly<Profile>[]> {
  return db.selectFrom('profiles').selectAll().where('ownerId', '=', ownerId).orderBy('id').execute();
}

/** Lists the athletes of an account, oldest first. */
export function listAthletes(db: Database, ownerId: number): Promise<Readonly<Profile>[]> {
  return db.selectFrom('profiles').selectAll().where('ownerId', '=', ownerId).where('kind', '=', 'athlete').orderBy('id').execute();
}

export function listVehicles(db: Database, profileId: number): Promise<Readonly<ArchivedVehicle>[]> {
  return db.selectFrom('archived_vehicles').selectAll().where('profileId', '=', profileId).orderBy('id').execute();
}

/** Locks a profile until the transaction ends. @throws {DomainError} not_found */
export async function lockProfile(ctx: CommandContext, profileId: number): Promise<Locked<Profile>> {
  const profile = await lockForChange(ctx.em, ProfileEntity, { id: profileId });
  if (!profile) throw new DomainError('not_found');
  return profile;
}

/** Only the owner changes a profile. @throws {DomainError} not_found, also for another account's profile (API-3) */
export const requireProfileOwner = ownerCheck('profile');

/** Locks a profile of the caller. @throws {DomainError} not_found */
export async function lockOwnProfile(ctx: CommandContext, profileId: number): Promise<Locked<Profile>> {
  return requireProfileOwner(ctx.actor, await lockProfile(ctx, profileId));
}
