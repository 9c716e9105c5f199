import type { Database } from '../../../platform/database/database.ts';
import type { FileDependents } from '../../files/index.ts';
import type { AdditionalDocument } from '../entities.ts';

/** Refuses to delete the file of an additional document in any status (EVT-19); the organizer deletes the document first. */
export const additionalDocumentFileDependents: FileDependents = {
  async lock({ db }, fileId) {
    await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').forUpdate().execute();
  },

  async listUses({ db }, fileId) {
    const rows = await db.selectFrom('additional_documents').select('id').where('fileId', '=', fileId).orderBy('id').execute();
    return rows.map(({ id }) => ({ kind: 'additional_document', id }));
  },
};

export async function findAdditionalDocument(db: Database, id: number): Promise<Readonly<AdditionalDocument> | null> {
  return (await db.selectFrom('additional_documents').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Returns a page of an event's additional documents, oldest first, and the total. Uses additional_documents_event_index. */
export async function listAdditionalDocuments(
  db: Database,
  { eventId, page, limit }: { eventId: number; page: number; limit: number },
): Promise<{ documents: Readonly<AdditionalDocument>[]; total: number }> {
  const all = db.selectFrom('additional_documents').where('eventId', '=', eventId);
  const [documents, total] = await Promise.all([
    all
      .selectAll()
      .orderBy('id')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    countAdditionalDocuments(db, eventId),
  ]);
  return { documents, total };
}

export async function countAdditionalDocuments(db: Database, eventId: number): Promise<number> {
  const { count } = await db
    .selectFrom('additional_documents')
    .where('eventId', '=', eventId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}
