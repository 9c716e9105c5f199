import { z } from 'zod';
import type { Database } from '../../platform/database/database.ts';
import { processRef } from '../../platform/process-ref.ts';
import { audit } from '../audit/index.ts';
import type { FileDependents, FileUse } from '../files/index.ts';
import type { DossierSection, ProfileCounter, ProfileDependents } from '../profiles/index.ts';
import { listUses } from './dependents.ts';
import { lockDocument } from './lock-document.ts';
import { countDocuments, listDocumentsOfProfile } from './queries.ts';
import { nextStatus, transition } from './states.ts';
import { documentResponse, presentDocument } from './wire.ts';

const noteOfMissingFile = 'The file of this document was deleted; attach a new one.';

/** Prevents the deletion of a used document's file (DOC-3); an unused document moves to `changes` instead (DOC-8). */
export const documentFileDependents: FileDependents = {
  async lock({ db }, fileId) {
    await db.selectFrom('documents').select('id').where('fileId', '=', fileId).orderBy('id').forUpdate().execute();
  },

  async listUses(ctx, fileId) {
    const uses: FileUse[] = [];
    for (const id of await listIds(ctx.db, fileId)) if ((await listUses(ctx, id)).length > 0) uses.push({ kind: 'document', id });
    return uses;
  },

  async letGo(ctx, { id: fileId, sha256 }) {
    for (const id of await listIds(ctx.db, fileId)) {
      const { document } = await lockDocument(ctx, id);
      if (nextStatus(document, 'lose_file', ctx.now) === null) continue;
      transition(document, 'lose_file', ctx.now);
      document.reviewNote = noteOfMissingFile;
      document.updatedAt = ctx.now;
      await audit(ctx, 'document.file_deleted', { kind: 'document', id }, { sha256 });
      ctx.wake(processRef('document', id));
    }
  },
};

async function listIds(db: Database, fileId: string): Promise<number[]> {
  const documents = await db.selectFrom('documents').select('id').where('fileId', '=', fileId).orderBy('id').execute();
  return documents.map(({ id }) => id);
}

/** A profile's documents are deleted with it; their processes end. */
export const documentProfileDependents: ProfileDependents = {
  async removeWith(ctx, profileId) {
    const removed = await ctx.db.deleteFrom('documents').where('profileId', '=', profileId).returning('id').execute();
    const ids = removed.map(({ id }) => id).sort((left, right) => left - right);
    for (const id of ids) ctx.wake(processRef('document', id));
    return { name: 'documents', ids };
  },
};

/** The documents of a profile with their review notes. */
export const documentSection: DossierSection = {
  field: 'documents',
  schema: z.array(documentResponse),
  isShownWithProfile: true,
  read: async (db, profileId) => (await listDocumentsOfProfile(db, profileId)).map(presentDocument),
};

export const documentCounter: ProfileCounter = { field: 'documents', count: countDocuments };
