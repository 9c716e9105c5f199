import { DomainError } from '../errors.ts';
import { actingUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { ProfileEntity } from './entities.ts';
import type { Profile } from './entities.ts';
import type { ProfileState } from './states.ts';
import { lockById } from '../platform/database/load.ts';

/** Takes hold of a profile for the rest of the transaction. @throws {DomainError} not_found */
export async function lockProfile(ctx: CommandContext, profileId: number): Promise<Profile> {
  const profile = await lockById(ctx.em, ProfileEntity, profileId);
  if (!profile) throw new DomainError('not_found');
  return profile;
}

/** The same for its owner, who alone may change it. @throws {DomainError} not_found */
export async function lockOwnProfile(ctx: CommandContext, profileId: number): Promise<Profile> {
  const profile = await lockProfile(ctx, profileId);
  if (profile.ownerId !== actingUserId(ctx.actor)) throw new DomainError('not_found');
  return profile;
}

export function stateOf(profile: Pick<Profile, 'status' | 'photoStatus' | 'photoId'>): ProfileState {
  return { status: profile.status, photoStatus: profile.photoStatus, hasPhoto: profile.photoId !== null };
}

/** Writes a state that `nextProfileState` gave; what comes before an administrator now joins the queue now. */
export function applyState(profile: Profile, state: ProfileState, now: Date): void {
  const joinsQueue =
    (state.status === 'pending' && profile.status !== 'pending') || (state.photoStatus === 'pending' && profile.photoStatus !== 'pending');
  if (joinsQueue) profile.submittedAt = now;
  profile.status = state.status;
  profile.photoStatus = state.photoStatus;
}
