import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { ProcessRef } from '../../platform/workflows/process-ref.ts';
import type { FileDependents } from '../files/index.ts';

/** Records deleted with a profile: ids and their name in the audit row (`documents`, `applications`). */
interface RemovedWithProfile {
  name: string;
  ids: number[];
}

/** Records of another area that use profiles. */
export interface ProfileDependents {
  /** Processes to wake when the profile changes; omitted when the records do not depend on the profile's data. */
  listLiving?(db: Database, profileId: number): Promise<ProcessRef[]>;
  /** Locks its rows before the profile's row, in the lock order of that area's commands. */
  lock?(ctx: CommandContext, profileId: number): Promise<void>;
  /** Deletes its records of the profile (PRO-5); null when it deletes none. @throws {DomainError} profile_in_use, naming the records */
  removeWith(ctx: CommandContext, profileId: number): Promise<RemovedWithProfile | null>;
}

/** Extended by every area with records of a profile; upper areas run first when a profile is deleted. */
export const profileDependents = definePoint<ProfileDependents>('dependents of a profile');

/** Wakes the processes of all records that use a profile. */
export async function wakeDependents(ctx: CommandContext, profileId: number): Promise<void> {
  for (const { listLiving } of ctx.extensions.of(profileDependents))
    for (const ref of (await listLiving?.(ctx.db, profileId)) ?? []) ctx.wake(ref);
}

/** Prevents the deletion of a profile's photo (FIL-5). A file and the record that uses it have the same owner. */
export const photoDependents: FileDependents = {
  async listUses({ db }, fileId) {
    const profiles = await db
      .selectFrom('files as f')
      .innerJoin('profiles as p', (join) => join.onRef('p.ownerId', '=', 'f.ownerId').onRef('p.photoId', '=', 'f.id'))
      .where('f.id', '=', fileId)
      .select('p.id')
      .orderBy('p.id')
      .execute();
    return profiles.map(({ id }) => ({ kind: 'profile_photo', id }));
  },
};
