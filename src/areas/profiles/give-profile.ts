import type { CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import { fileCopies } from '../files/index.ts';
import type { Profile } from './entities.ts';
import type { OwnedWithProfile } from './ownership-moves.ts';
import { isUnderReview } from './states.ts';

/** Transfers a profile to another account. Other areas transfer their records of it (`ownedWithProfile`). */
export async function giveProfile(ctx: CommandContext, profile: Locked<Profile>, toUserId: number): Promise<void> {
  profile.ownerId = toUserId;
  profile.updatedAt = ctx.now;
  // Raises a duplicate IIN of the receiving account (PRO-1) here, not at the end of the command.
  await ctx.em.flush();
  if (isUnderReview(profile)) ctx.wake(processRef('profile', profile.id));
}

/** Moves the photo with its profile. */
export const photoOfProfile: OwnedWithProfile = {
  counted: {},
  files: {
    ofProfiles: (db, profileIds) => db.selectFrom('profiles').select('photoId as fileId').where('id', '=', inList(profileIds)),

    async exchange({ db }, profileId, copies) {
      await db
        .updateTable('profiles')
        .from(fileCopies(copies))
        .set((eb) => ({ photoId: eb.ref('c.copyId') }))
        .whereRef('photoId', '=', 'c.id')
        .where('profiles.id', '=', profileId)
        .execute();
    },
  },
};
