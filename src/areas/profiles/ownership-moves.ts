import type { AliasableExpression } from 'kysely';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { definePoint } from '../../platform/extensions.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { fileCopies, type FileCopy } from '../files/index.ts';
import type { Profile } from './entities.ts';
import { isUnderReview } from './states.ts';

/** A change of a profile's owner; both accounts and the profile are locked. */
export interface OwnershipMove {
  profileId: number;
  fromUserId: number;
  toUserId: number;
}

/** Kinds of records that the preview counts besides files. */
export type MovedRecords = 'documents' | 'applications' | 'certificates' | 'events' | 'contracts' | 'registrations' | 'conversations';

/** Files named by records of profiles. */
interface NamedFiles {
  /** Selects their ids for these profiles; duplicates and nulls are ignored. */
  ofProfiles(db: Database, profileIds: readonly number[]): AliasableExpression<{ fileId: string | null }>;
  /** Replaces the file ids by those of the copies. Omitted for immutable records, such as an issued snapshot. */
  exchange?(ctx: CommandContext, profileId: number, copies: readonly FileCopy[]): Promise<void>;
}

/** Records that move with a profile when its owner changes. */
export interface OwnedWithProfile {
  /** Selects the moved records, by the preview's counter. */
  counted: Partial<Record<MovedRecords, (db: Database, profileId: number) => AliasableExpression<{ id: number }>>>;
  files?: NamedFiles;
  /** Locks its rows before the profile's row, in the lock order of its area's commands. */
  lock?(ctx: CommandContext, profileId: number): Promise<void>;
  /**
   * Moves all records of the profile and wakes their processes, in set operations. No record can be added while the profile is
   * locked. Issued snapshots, paid amounts and the ledger stay.
   */
  move?(ctx: CommandContext, move: OwnershipMove): Promise<void>;
}

/** Extended by every area with records that name the owner of a profile, or whose processes act for the owner. */
export const ownedWithProfile = definePoint<OwnedWithProfile>('records that move with a profile');

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
