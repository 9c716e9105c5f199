import type { FileDependents } from '../files/index.ts';

/** An additional document keeps its file as long as it is there, whatever was decided on it: the organizer deletes it first. */
export const additionalDocumentFileDependents: FileDependents = {
  async lock({ db }, fileId) {
    await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').forUpdate().execute();
  },

  async listUses({ db }, fileId) {
    const rows = await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').execute();
    return rows.map(({ id }) => ({ kind: 'additional_document', id }));
  },
};
