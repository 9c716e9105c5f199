import { inList } from '../../platform/database/database.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { fileCopies } from '../files/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';

/**
 * Moves an athlete's registrations with the profile. Registrations for a competition do not move with its organizer.
 *
 * A snapshot keeps its content (REG-10); only its file ids change, to copies with the same bytes.
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
