import type { SignedIn } from '../http/access.ts';
import type { Profile } from './entities.ts';

/** Only the owner changes a profile, and only the owner reads the whole dossier. */
export function isOwner(user: Pick<SignedIn['user'], 'id'>, profile: Pick<Profile, 'ownerId'>): boolean {
  return profile.ownerId === user.id;
}
