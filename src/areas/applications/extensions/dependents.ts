import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import { actingUserId } from '../../../platform/context.ts';
import { processRef } from '../../../platform/process-ref.ts';
import type { ServiceDependents } from '../../catalog/index.ts';
import type { DocumentDependents } from '../../documents/index.ts';
import type { FileDependents } from '../../files/index.ts';
import type { ProfileDependents } from '../../profiles/index.ts';
import { listLivingOnDocument, living } from '../queries.ts';

/** Applications that a document is attached to; one that is not a draft blocks changes of the document (DOC-3). */
export const onDocument: DocumentDependents = {
  kind: 'application',
  listLiving: listLivingOnDocument,
  async listUses(db, documentId) {
    const rows = await db
      .selectFrom('application_documents as ad')
      .innerJoin('applications as a', 'a.id', 'ad.applicationId')
      .select('a.id')
      .where('ad.documentId', '=', documentId)
      .where('a.status', '<>', 'draft')
      .orderBy('a.id')
      .execute();
    return rows.map(({ id }) => id);
  },
};

/** Applications of a profile; living, paid or issued ones block its deletion (PRO-5). */
export const onProfile: ProfileDependents = {
  async listLiving(db, profileId) {
    const rows = await db
      .selectFrom('applications')
      .select('id')
      .where('profileId', '=', profileId)
      .where('status', 'in', living)
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => processRef('application', id));
  },

  /** Waits for a concurrent cancel. Locks only the caller's rows; another owner's profile is refused later. */
  async lock(ctx, profileId) {
    const ownerId = actingUserId(ctx.actor);
    if (ownerId === null) return;
    await ctx.db
      .selectFrom('applications')
      .select('id')
      .where('profileId', '=', profileId)
      .where('ownerId', '=', ownerId)
      .orderBy('id')
      .forUpdate()
      .execute();
  },

  async removeWith(ctx, profileId) {
    // The lock of the profile prevents new applications.
    const standing = await ctx.db
      .selectFrom('applications as a')
      .select('a.id')
      .where('a.profileId', '=', profileId)
      .where((eb) =>
        eb.or([
          eb('a.status', 'in', living),
          eb('a.paymentTransactionId', 'is not', null),
          eb.exists(eb.selectFrom('certificates as c').select('c.number').whereRef('c.applicationId', '=', 'a.id')),
        ]),
      )
      .orderBy('a.id')
      .execute();
    if (standing.length > 0) throw new DomainError('profile_in_use', { applications: standing.map(({ id }) => id) });
    // The foreign key also deletes their links to documents.
    const removed = await ctx.db.deleteFrom('applications').where('profileId', '=', profileId).returning('id').execute();
    return { name: 'applications', ids: removed.map(({ id }) => id).sort((left, right) => left - right) };
  },
};

/** Makes submitted national certificates due: only these are approved automatically (CAT-9). Uses applications_live_index. */
export const onService: ServiceDependents = {
  async makeDue({ db, now }, serviceId) {
    await db
      .updateTable('applications')
      .set({ dueAt: now })
      .where('serviceId', '=', serviceId)
      .where('status', '=', 'submitted')
      .where('kind', '=', 'national_certificate')
      .execute();
  },
};

/**
 * Keeps a photo that is printed on a certificate (FIL-5).
 *
 * A file and its users have the same owner, so the query reads that owner's rows only. After a transfer of the profile the certificate
 * may name the original file of the copy; both have the same bytes.
 */
export const onFile: FileDependents = {
  async listUses(ctx, fileId) {
    const rows = await ctx.db
      .selectFrom('files as f')
      .innerJoin('files as printed', 'printed.storageKey', 'f.storageKey')
      .innerJoin('applications as a', 'a.ownerId', 'f.ownerId')
      .innerJoin('certificates as c', 'c.applicationId', 'a.id')
      .select('c.applicationId as id')
      .where('f.id', '=', fileId)
      .where(sql<string>`${sql.ref('c.snapshot')}->>'photoFileId'`, '=', sql<string>`${sql.ref('printed.id')}::text`)
      .orderBy('c.applicationId')
      .execute();
    return rows.map(({ id }) => ({ kind: 'certificate', id }));
  },
};
