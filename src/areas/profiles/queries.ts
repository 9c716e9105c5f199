import { type Database, inList } from '../../platform/database/database.ts';
import type { ArchivedVehicle, Profile } from './entities.ts';

export async function findProfile(db: Database, id: number): Promise<Readonly<Profile> | null> {
  const [profile] = await findProfiles(db, [id]);
  return profile ?? null;
}

/** Finds profiles by ids, oldest first; missing ones are left out. */
export function findProfiles(db: Database, ids: readonly number[]): Promise<Readonly<Profile>[]> {
  return db.selectFrom('profiles').selectAll().where('id', '=', inList(ids)).orderBy('id').execute();
}

/** Lists all profiles of an account, oldest first. Not paged: an account has few. */
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
