import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { type Profile, ProfileEntity } from './entities.ts';

/** Locks a profile until the transaction ends. @throws {DomainError} not_found */
export async function lockProfile(ctx: CommandContext, profileId: number): Promise<Locked<Profile>> {
  const profile = await lockForChange(ctx.em, ProfileEntity, { id: profileId });
  if (!profile) throw new DomainError('not_found');
  return profile;
}

/** Locks a profile of the caller. @throws {DomainError} not_found */
export async function lockOwnProfile(ctx: CommandContext, profileId: number): Promise<Locked<Profile>> {
  const profile = await lockProfile(ctx, profileId);
  if (profile.ownerId !== actingUserId(ctx.actor)) throw refusalOf('not_found', { kind: 'profile', id: profileId });
  return profile;
}
