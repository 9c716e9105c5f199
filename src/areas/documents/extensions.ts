import { sql } from 'kysely';
import { z } from 'zod';
import { type Database, inList } from '../../platform/database/database.ts';
import { formatVersion } from '../../platform/time/date-time.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { sendCommand } from '../../platform/workflows/send-command.ts';
import { audit } from '../audit/index.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import { fileCopies, type FileDependents, type FileUse } from '../files/index.ts';
import {
  type DossierSection,
  type OwnedWithProfile,
  type ProfileCounter,
  type ProfileDependents,
  profileFlags,
} from '../profiles/index.ts';
import { decisionsOn, noText, privateNote, type QueueDetails, type QueueSource, reviewable, versionArg } from '../reviews/index.ts';
import { listUses } from './dependents.ts';
import { isLiving } from './entities.ts';
import { documentProcess } from './process.ts';
import { findDocument, listDocumentsOfProfile, lockDocument } from './queries.ts';
import { nextStatus, transition } from './states.ts';
import { documentResponse, presentDocument } from './wire.ts';

const noteOfMissingFile = 'The file of this document was deleted. Attach a new file.';

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

export const documentCounter: ProfileCounter = {
  field: 'documents',
  select: (db, profileIds) =>
    db
      .selectFrom('documents')
      .select((eb) => ['profileId', eb.fn.countAll<number>().as('count')])
      .where('profileId', '=', inList(profileIds))
      .groupBy('profileId'),
};

/** Documents by status. Uses documents_queue_index for waiting and documents_returned_index for returned ones. */
export const documentQueueSource: QueueSource = {
  kind: 'document',
  waiting: 'pending',
  canBeReturned: true,
  select: (db, status) =>
    db
      .selectFrom('documents as d')
      .leftJoin('profiles as p', 'p.id', 'd.profileId')
      // A literal, not a parameter, so that the planner matches the partial index. Never client input.
      .where(sql<boolean>`${sql.ref('d.status')} = ${sql.lit(status)}`)
      .select([
        sql.lit('document').as('kind'),
        'd.id',
        'd.status',
        sql<string>`${sql.ref('d.type')} || ': ' || ${sql.ref('p.name')}`.as('title'),
        'd.statusSince as waitingSince',
        'd.profileId',
        'p.ownerId',
        profileFlags('p').as('flags'),
        noText.as('searchText'),
        'd.updatedAt',
        sql<QueueDetails>`json_build_object('type', ${sql.ref('d.type')}, 'subject', ${sql.ref('p.name')})`.as('details'),
      ]),
};

/** Lets administrators decide on documents (DOC-2). */
export const documentReviewable = reviewable({
  kind: 'document',
  body: decisionsOn('document'),
  errors: ['file_missing'],
  async find(db, id) {
    const document = await findDocument(db, id);
    if (document === null) return null;
    const { status, reviewNote, updatedAt } = document;
    return { kind: 'document', id, status, review_note: reviewNote, updated_at: formatVersion(updatedAt) };
  },
  review: (platform, { id, decision, note, ...seen }, caller) =>
    sendCommand(platform, documentProcess, id, 'review', {
      caller,
      args: { decision, ...versionArg(seen) },
      privateInput: privateNote(note),
    }),
});

/** Documents move with their profile. Only their scans have an owner: they are transferred or copied. */
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

/** Documents in the log of changes. */
export const documentChanges: readonly ChangedRecord[] = [
  {
    record: 'document',
    select: (db) =>
      db
        .selectFrom('documents as d')
        .innerJoin('profiles as p', 'p.id', 'd.profileId')
        .select(['d.id', 'd.status', 'p.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/documents/${id}`,
  },
];
