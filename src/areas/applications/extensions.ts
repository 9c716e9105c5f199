import { sql } from 'kysely';
import { z } from 'zod';
import { DomainError } from '../../errors.ts';
import { dateTimeResponse, dayResponse, id, localizedText, tiyn } from '../../http/schemas.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { formatDateTime } from '../../platform/time/date-time.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { wakeAll } from '../../platform/workflows/outbox.ts';
import { type ServiceDependents, serviceKind } from '../catalog/index.ts';
import { type ChangedRecord, nullColumn } from '../changes/index.ts';
import type { DocumentDependents } from '../documents/index.ts';
import type { FileDependents } from '../files/index.ts';
import type { DossierSection, OwnedWithProfile, ProfileCounter, ProfileDependents } from '../profiles/index.ts';
import { markChanged, recordStep } from './command-parts.ts';
import { findApplications, listLivingOnDocument, living, lockApplication } from './queries.ts';
import { countedDocuments, factsOf } from './readiness/readiness.ts';
import type { ApplicationRecord } from './record.ts';
import { hasEnded } from './year.ts';
import { isPaid } from './states.ts';
import { applicationStatus } from './wire.ts';

/** Applications that a document is attached to; one that is not a draft blocks changes of the document (DOC-3). */
export const onDocument: DocumentDependents = {
  kind: 'application',
  listLiving: listLivingOnDocument,
  async listNeeding(db, documentId, now) {
    const records = await findApplications(db, await listLivingOnDocument(db, documentId));
    const needs = (record: ApplicationRecord) => countedDocuments(factsOf(record, now)).some(({ id }) => id === documentId);
    return records.filter((record) => !hasEnded(record, now) && needs(record)).map(({ id }) => id);
  },
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

/** SQL: whether `f` is the printed photo for its owner: the file that the certificate names, or its copies while the owner lacks that one. */
const isPrinted = sql<boolean>`(f.id = printed.id or printed.owner_id <> f.owner_id or printed.deleted_at is not null)`;

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
      .where(isPrinted)
      .orderBy('c.applicationId')
      .execute();
    return rows.map(({ id }) => ({ kind: 'certificate', id }));
  },
};

const applicationsResponse = z.array(
  z.object({
    id,
    service_id: id,
    service_title: localizedText,
    discipline_id: id.nullable(),
    year: z.int(),
    status: applicationStatus,
    paid: z.boolean().describe('Paid and not refunded'),
    amount_minor: tiyn,
    created_at: dateTimeResponse,
  }),
);

const certificatesResponse = z.array(
  z.object({
    application_id: id,
    number: z.string().describe('Number of the certificate'),
    kind: serviceKind,
    service_title: localizedText,
    valid_from: dayResponse,
    valid_until: dayResponse,
    application_status: applicationStatus,
    issued_at: dateTimeResponse,
  }),
);

const shownApplications = 100;

/** Lists the applications of a profile, newest first. Uses applications_profile_index. */
export const applicationsSection: DossierSection = {
  field: 'applications',
  schema: applicationsResponse,
  async read(db, profileId): Promise<z.input<typeof applicationsResponse>> {
    const rows = await db
      .selectFrom('applications as a')
      .innerJoin('services as s', 's.id', 'a.serviceId')
      .select([
        'a.id',
        'a.serviceId',
        's.title',
        'a.disciplineId',
        'a.year',
        'a.status',
        'a.paid',
        'a.refundTransactionId',
        'a.amountMinor',
        'a.createdAt',
      ])
      .where('a.profileId', '=', profileId)
      .orderBy('a.id', 'desc')
      // `GET /applications?profile_id=` has the others, by pages.
      .limit(shownApplications)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      service_id: row.serviceId,
      service_title: row.title,
      discipline_id: row.disciplineId,
      year: row.year,
      status: row.status,
      paid: isPaid(row),
      amount_minor: row.amountMinor,
      created_at: formatDateTime(row.createdAt),
    }));
  },
};

/** Lists the certificates of a profile, newest application first. */
export const certificatesSection: DossierSection = {
  field: 'certificates',
  schema: certificatesResponse,
  async read(db, profileId): Promise<z.input<typeof certificatesResponse>> {
    const rows = await db
      .selectFrom('applications as a')
      .innerJoin('services as s', 's.id', 'a.serviceId')
      .innerJoin('certificates as c', 'c.applicationId', 'a.id')
      .select(['a.id', 'a.kind', 's.title', 'a.status', 'c.number', 'c.validFrom', 'c.validUntil', 'c.issuedAt'])
      .where('a.profileId', '=', profileId)
      .orderBy('a.id', 'desc')
      .execute();
    return rows.map((row) => ({
      application_id: row.id,
      number: row.number,
      kind: row.kind,
      service_title: row.title,
      valid_from: row.validFrom,
      valid_until: row.validUntil,
      application_status: row.status,
      issued_at: formatDateTime(row.issuedAt),
    }));
  },
};

/** Counts the applications of each profile. Uses applications_profile_index. */
export const applicationsCounter: ProfileCounter = {
  field: 'applications',
  select: (db, profileIds) =>
    db
      .selectFrom('applications as a')
      .select((eb) => ['a.profileId', eb.fn.countAll<number>().as('count')])
      .where('a.profileId', '=', inList(profileIds))
      .groupBy('a.profileId'),
};

/** Counts the certificates of each profile. */
export const certificatesCounter: ProfileCounter = {
  field: 'certificates',
  select: (db, profileIds) =>
    db
      .selectFrom('applications as a')
      .innerJoin('certificates as c', 'c.applicationId', 'a.id')
      .select((eb) => ['a.profileId', eb.fn.countAll<number>().as('count')])
      .where('a.profileId', '=', inList(profileIds))
      .groupBy('a.profileId'),
};

/**
 * Moves applications, including event fees, with their profile (OWN-1). The new owner pays, is notified and reads the certificates.
 *
 * Payments and issued certificates stay unchanged (OWN-2).
 */
export const applicationsOfProfile: OwnedWithProfile = {
  counted: {
    applications: (db, profileId) => db.selectFrom('applications').select('id').where('profileId', '=', profileId),
    certificates: (db, profileId) =>
      db
        .selectFrom('certificates as c')
        .innerJoin('applications as a', 'a.id', 'c.applicationId')
        .select('a.id')
        .where('a.profileId', '=', profileId),
  },

  files: {
    // The printed photo. The certificate may name the original of a copy, so the join compares storage keys.
    ofProfiles: (db, profileIds) =>
      db
        .selectFrom('certificates as c')
        .innerJoin('applications as a', 'a.id', 'c.applicationId')
        .innerJoin('files as printed', (join) => join.on('printed.id', '=', sql<string>`(${sql.ref('c.snapshot')}->>'photoFileId')::uuid`))
        .innerJoin('files as f', (join) => join.onRef('f.storageKey', '=', 'printed.storageKey').onRef('f.ownerId', '=', 'a.ownerId'))
        .select('f.id as fileId')
        .where('a.profileId', '=', inList(profileIds))
        .where(isPrinted),
  },

  async lock({ db }, profileId) {
    await db.selectFrom('applications').select('id').where('profileId', '=', profileId).orderBy('id').forUpdate().execute();
  },

  async move(ctx, { profileId, toUserId }) {
    const { db, now } = ctx;
    await db.updateTable('applications').set({ ownerId: toUserId, updatedAt: now }).where('profileId', '=', profileId).execute();
    await closeSharing(ctx, profileId);
    // The owner's wallet decides which party an application waits for.
    await wakeAll(
      ctx,
      'application',
      db.selectFrom('applications').select('id').where('profileId', '=', profileId).where('status', 'in', living),
    );
  },
};

/** Ends the old owner's consent to share documents (OWN-4). A profile has few licences, so a loop suffices. */
async function closeSharing(ctx: CommandContext, profileId: number): Promise<void> {
  const shared = await ctx.db
    .selectFrom('applications')
    .select('id')
    .where('profileId', '=', profileId)
    .where('sharingEnabled', '=', true)
    .orderBy('id')
    .execute();
  for (const { id } of shared) {
    const locked = await lockApplication(ctx, id);
    locked.application.sharingEnabled = false;
    locked.application.sharingConfirmedAt = null;
    markChanged(ctx, locked.application);
    await recordStep(ctx, locked, 'sharing_disabled');
  }
  await ctx.em.flush();
}

/** Applications in the log of changes. */
export const applicationChanges: readonly ChangedRecord[] = [
  {
    record: 'application',
    select: (db) => db.selectFrom('applications as a').select(['a.id', 'a.status', 'a.ownerId', nullColumn.organizer, nullColumn.parent]),
    path: ({ id }) => `/applications/${id}`,
  },
];
