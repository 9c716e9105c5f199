import { inList } from '../../platform/database/database.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { fileCopies } from '../files/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';

/**
 * An athlete's registrations go with the profile; those for a competition belong to its athletes, whoever holds it. The snapshot of a
 * registration stays as it was seen, but for which of two files with the same bytes it names.
 */
export const registrationsOfProfile: OwnedWithProfile = {
  counted: { registrations: (db, profileId) => db.selectFrom('registrations').select('id').where('profileId', '=', profileId) },

  files: {
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('registration_documents as rd')
        .innerJoin('registrations as r', 'r.id', 'rd.registrationId')
        .select('rd.fileId')
        .where('r.profileId', '=', inList(profileIds)),

    async exchange({ db }, profileId, copies) {
      const registrations = db.selectFrom('registrations').select('id').where('profileId', '=', profileId);
      await db
        .updateTable('registration_documents')
        .from(fileCopies(copies))
        .set((eb) => ({ fileId: eb.ref('c.copyId') }))
        .whereRef('fileId', '=', 'c.id')
        .where('registrationId', 'in', registrations)
        .execute();
    },
  },

  async lock({ db }, profileId) {
    await db.selectFrom('registrations').select('id').where('profileId', '=', profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const { db, now } = ctx;
    await db.updateTable('registrations').set({ ownerId: toUserId, updatedAt: now }).where('profileId', '=', profileId).execute();
    const living = db.selectFrom('registrations').select('id').where('profileId', '=', profileId).where('dueAt', 'is not', null);
    await wakeAll(ctx, 'registration', living);
  },
};
