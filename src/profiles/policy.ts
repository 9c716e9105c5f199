import { mayReadRecordOf } from '../http/access.ts';
import type { SignedIn } from '../http/access.ts';
import type { Profile } from './entities.ts';

/** A profile is read by its owner and by administrators. */
export function mayReadProfile(user: Pick<SignedIn['user'], 'id' | 'role'>, profile: Pick<Profile, 'ownerId'>): boolean {
  return mayReadRecordOf(user, profile.ownerId);
}

/** Only the owner changes a profile, and only the owner reads the whole dossier. */
export function isOwner(user: Pick<SignedIn['user'], 'id'>, profile: Pick<Profile, 'ownerId'>): boolean {
  return profile.ownerId === user.id;
}
