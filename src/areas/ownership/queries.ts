import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../platform/database/database.ts';
import type { Extensions } from '../../platform/extensions.ts';
import { isErased, type User } from '../accounts/index.ts';
import { findExcessOfProfiles, ownedWithProfile, type Profile } from '../profiles/index.ts';
import { type MovedCounts, movedRecords, type OwnershipTransfer } from './entities.ts';

/** Reads the account fields that a transfer checks; null when the account does not exist. */
export async function findAccount(db: Database, id: number): Promise<Pick<User, 'id' | 'status' | 'role'> | null> {
  return (await db.selectFrom('users').select(['id', 'status', 'role']).where('id', '=', id).executeTakeFirst()) ?? null;
}

type Owner = Pick<User, 'id' | 'name' | 'email'>;

export interface TransferView extends Pick<OwnershipTransfer, 'profileId' | 'moved' | 'at'> {
  from: Owner;
  to: Owner;
}

/**
 * Finds the transfer that a request made, otherwise the profile's last one; null when the profile was never transferred.
 * A repeated request makes no transfer of its own and reads the last one.
 */
export async function findTransfer(db: Database, profileId: number, requestId: string): Promise<TransferView | null> {
  const row = await db
    .selectFrom('ownership_transfers as t')
    .innerJoin('users as f', 'f.id', 't.fromUserId')
    .innerJoin('users as u', 'u.id', 't.toUserId')
    .select(['t.profileId', 't.moved', 't.at', 'f.id as fromId', 'f.name as fromName', 'f.email as fromEmail'])
    .select(['u.id as toId', 'u.name as toName', 'u.email as toEmail'])
    .where('t.profileId', '=', profileId)
    .orderBy((eb) => eb('t.requestId', '=', requestId), 'desc')
    .orderBy('t.id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) return null;
  return {
    profileId,
    moved: row.moved,
    at: row.at,
    from: { id: row.fromId, name: row.fromName, email: row.fromEmail },
    to: { id: row.toId, name: row.toName, email: row.toEmail },
  };
}

/** Builds a subquery of the file ids that records of these profiles reference. */
export function referencedFiles(db: Database, extensions: Extensions, profileIds: readonly number[]): RawBuilder<string> {
  const referenced = extensions.of(ownedWithProfile).flatMap(({ files }) => files?.ofProfiles(db, profileIds) ?? []);
  return sql<string>`(select n.file_id from (${sql.join(referenced, sql` union all `)}) as n (file_id) where n.file_id is not null)`;
}

/** Counts the records that a transfer moves, in one statement. Moved and copied files both count; deleted files do not. */
export async function countMoved(
  db: Database,
  extensions: Extensions,
  { id, ownerId }: Pick<Profile, 'id' | 'ownerId'>,
): Promise<MovedCounts> {
  const parts = extensions.of(ownedWithProfile);
  const countOf = (field: (typeof movedRecords)[number]): RawBuilder<number> => {
    if (field === 'files') {
      const files = db
        .selectFrom('files')
        .select('id')
        .where('ownerId', '=', ownerId)
        .where('deletedAt', 'is', null)
        .where('id', 'in', referencedFiles(db, extensions, [id]));
      return sql<number>`(select count(*)::int from ${files} as f)`;
    }
    const records = parts.flatMap(({ counted }) => counted[field]?.(db, id) ?? []);
    if (records.length === 0) return sql<number>`0`;
    return sql<number>`(select count(*)::int from (${sql.join(records, sql` union all `)}) as r)`;
  };
  return db.selectNoFrom(movedRecords.map((field) => countOf(field).as(field))).executeTakeFirstOrThrow();
}

/** Reasons to refuse a transfer that do not depend on the owner that the request names. */
export const conflictCodes = [
  'invalid_state',
  'same_account',
  'target_blocked',
  'target_is_administrator',
  'duplicate_profile',
  'quota_exceeded',
] as const;

export interface Conflict {
  code: (typeof conflictCodes)[number];
  details?: Record<string, unknown>;
}

/** Lists every conflict of a transfer to an account; the command refuses with the first (OWN-3). */
export async function findConflicts(
  db: Database,
  extensions: Extensions,
  profile: Pick<Profile, 'id' | 'ownerId' | 'kind' | 'iin'>,
  target: Pick<User, 'id' | 'status' | 'role'>,
): Promise<Conflict[]> {
  const conflicts: Conflict[] = [];
  // Nothing of an erased account goes on under another one (PRV-5).
  if (await isErased(db, profile.ownerId)) conflicts.push({ code: 'invalid_state', details: { status: 'erased', allowed: [] } });
  if (target.id === profile.ownerId) conflicts.push({ code: 'same_account' });
  if (target.status === 'blocked') conflicts.push({ code: 'target_blocked' });
  if (target.role === 'administrator') conflicts.push({ code: 'target_is_administrator' });
  const doubleId = target.id === profile.ownerId ? null : await findAthlete(db, target.id, profile);
  if (doubleId !== null) conflicts.push({ code: 'duplicate_profile', details: { profile_id: doubleId } });
  const excess = target.id === profile.ownerId ? null : await findExcessOfProfiles(db, extensions, target.id);
  if (excess !== null) conflicts.push({ code: 'quota_exceeded', details: excess });
  return conflicts;
}

/** Finds the account's own profile of the same person. The unique index profiles_one_athlete_per_iin decides concurrent writes. */
async function findAthlete(db: Database, ownerId: number, { kind, iin }: Pick<Profile, 'kind' | 'iin'>): Promise<number | null> {
  if (kind !== 'athlete' || iin === null) return null;
  const found = await db
    .selectFrom('profiles')
    .select('id')
    .where('ownerId', '=', ownerId)
    .where('iin', '=', iin)
    .where('kind', '=', 'athlete')
    .executeTakeFirst();
  return found?.id ?? null;
}
