import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import { actingUserId } from '../../../platform/context.ts';
import { processRef } from '../../../platform/process-ref.ts';
import type { ServiceDependents } from '../../catalog/index.ts';
import type { DocumentDependents } from '../../documents/index.ts';
import type { FileDependents } from '../../files/index.ts';
import type { ProfileDependents } from '../../profiles/index.ts';
import { listLivingOnDocument, living } from '../queries.ts';

/** Applications that stand on a document; one that is no draft keeps it from being changed. */
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

/** Applications of a profile; those that live, were paid or were issued keep it. */
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

  /** One that is just being cancelled is waited for. Another's are none of the caller's business: the profile is refused later. */
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
    // Once the profile is locked none can join them.
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
    // What links them to documents goes with them, by the foreign key.
    const removed = await ctx.db.deleteFrom('applications').where('profileId', '=', profileId).returning('id').execute();
    return { name: 'applications', ids: removed.map(({ id }) => id).sort((left, right) => left - right) };
  },
};

/** Only a national certificate is approved by itself, and only once it is submitted. By applications_live_index. */
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
 * A photo that was printed on a certificate is kept. Whatever uses a file has the file's owner, so the owner's rows are enough to look at.
 * The certificate may name another file with the same bytes: the one that the photo was copied from when its profile changed hands.
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
