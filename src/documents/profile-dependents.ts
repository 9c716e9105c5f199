import { z } from 'zod';
import { processRef } from '../platform/process-ref.ts';
import type { DossierSection, ProfileCounter, ProfileDependents } from '../profiles/index.ts';
import { presentDocument } from './presenter.ts';
import { countDocuments, listDocumentsOfProfile } from './queries.ts';
import { documentResponse } from './schemas.ts';

/** A profile's documents are deleted with it; their processes end. */
export const documentProfileDependents: ProfileDependents = {
  async removeWith(ctx, profileId) {
    const removed = await ctx.db.deleteFrom('documents').where('profileId', '=', profileId).returning('id').execute();
    const ids = removed.map(({ id }) => id).sort((left, right) => left - right);
    for (const id of ids) ctx.wake(processRef('document', id));
    return { name: 'documents', ids };
  },
};

/** The documents of a profile, with the notes of their review. */
export const documentSection: DossierSection = {
  field: 'documents',
  schema: z.array(documentResponse),
  isShownWithProfile: true,
  read: async (db, profileId) => (await listDocumentsOfProfile(db, profileId)).map(presentDocument),
};

export const documentCounter: ProfileCounter = { field: 'documents', count: countDocuments };
