import { sql } from 'kysely';
import { inList } from '../../platform/database/database.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { fileCopies } from '../files/index.ts';
import type { OwnedWithProfile } from '../profiles/index.ts';
import { isLiving } from './entities.ts';

/** Documents move with their profile; only their scans name an owner and are given or copied. */
export const documentsOfProfile: OwnedWithProfile = {
  counted: { documents: (db, profileId) => db.selectFrom('documents').select('id').where('profileId', '=', profileId) },

  files: {
    ofProfiles: (db, profileIds) => db.selectFrom('documents').select('fileId').where('profileId', '=', inList(profileIds)),

    async exchange({ db, now }, profileId, copies) {
      await db
        .updateTable('documents')
        .from(fileCopies(copies))
        .set((eb) => ({ fileId: eb.ref('c.copyId'), updatedAt: now }))
        .whereRef('fileId', '=', 'c.id')
        .where('profileId', '=', profileId)
        .execute();
    },
  },

  async lock({ db }, profileId) {
    await db.selectFrom('documents').select('id').where('profileId', '=', profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId }) {
    const living = ctx.db
      .selectFrom('documents')
      .select('id')
      .where('profileId', '=', profileId)
      .where(sql<boolean>`${sql.raw(isLiving)}`);
    await wakeAll(ctx, 'document', living);
  },
};
