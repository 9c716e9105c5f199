import type { FileDependents } from '../files/index.ts';

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
