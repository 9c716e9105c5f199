import type { Database } from '../../platform/database/database.ts';
import type { User } from '../accounts/index.ts';
import type { Profile } from '../profiles/index.ts';

/** Reasons to refuse a transfer that do not depend on the owner that the request names. */
export const conflictCodes = ['same_account', 'target_blocked', 'target_is_administrator', 'duplicate_profile'] as const;

export interface Conflict {
  code: (typeof conflictCodes)[number];
  details?: Record<string, unknown>;
}

/** Lists every conflict of a transfer to an account; the command refuses with the first (OWN-3). */
export async function findConflicts(
  db: Database,
  profile: Pick<Profile, 'id' | 'ownerId' | 'kind' | 'iin'>,
  target: Pick<User, 'id' | 'status' | 'role'>,
): Promise<Conflict[]> {
  const conflicts: Conflict[] = [];
  if (target.id === profile.ownerId) conflicts.push({ code: 'same_account' });
  if (target.status === 'blocked') conflicts.push({ code: 'target_blocked' });
  if (target.role === 'administrator') conflicts.push({ code: 'target_is_administrator' });
  const doubleId = target.id === profile.ownerId ? null : await findAthlete(db, target.id, profile);
  if (doubleId !== null) conflicts.push({ code: 'duplicate_profile', details: { profile_id: doubleId } });
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
