import type { CommandContext } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { definePoint } from '../../platform/extensions.ts';
import type { ProcessRef } from '../../platform/process-ref.ts';
import type { FileDependents } from '../files/index.ts';

/** What remains of a deleted profile's records: ids by their name in the audit row (`documents`, `applications`). */
export interface RemovedWithProfile {
  name: string;
  ids: number[];
}

/** Records of an upper area that stand on profiles. */
export interface ProfileDependents {
  /** Processes that must look again when the profile changes; nothing where its records do not hang on what the profile says. */
  listLiving?(db: Database, profileId: number): Promise<ProcessRef[]>;
  /** Takes its rows before the profile's own, as every command of that area does. */
  lock?(ctx: CommandContext, profileId: number): Promise<void>;
  /** Deletes what goes with the profile; null where nothing ever does. @throws {DomainError} profile_in_use, naming what stands in the way */
  removeWith(ctx: CommandContext, profileId: number): Promise<RemovedWithProfile | null>;
}

/** Entered by every area with records of a profile; the upper ones are asked first when a profile is deleted. */
export const profileDependents = definePoint<ProfileDependents>('what stands on a profile');

/** Lets everything that stands on a profile look at it again. */
export async function wakeDependents(ctx: CommandContext, profileId: number): Promise<void> {
  for (const { listLiving } of ctx.extensions.of(profileDependents))
    for (const ref of (await listLiving?.(ctx.db, profileId)) ?? []) ctx.wake(ref);
}

/** A file that is a profile's photo is kept by it. Whatever uses a file has the file's owner, so his profiles are enough to look at. */
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
