import type { CommandContext } from '../platform/context.ts';
import type { Locked } from '../platform/database/lock.ts';
import { processRef } from '../platform/process-ref.ts';
import type { Profile } from './entities.ts';
import { isUnderReview } from './states.ts';

/** Gives a profile to another account. What stands on it its areas give (`ownedWithProfile`). */
export async function giveProfile(ctx: CommandContext, profile: Locked<Profile>, toUserId: number): Promise<void> {
  profile.ownerId = toUserId;
  profile.updatedAt = ctx.now;
  // An athlete with the same IIN that has come to the account meanwhile is refused here and not at the end of the command.
  await ctx.em.flush();
  if (isUnderReview(profile)) ctx.wake(processRef('profile', profile.id));
}
