import { inList } from '../platform/database/database.ts';
import { fileCopies } from '../files/index.ts';
import type { OwnedWithProfile } from './ownership-moves.ts';

/** The photo goes with its profile. */
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
