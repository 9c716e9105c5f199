import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { literals } from '../../platform/database/literals.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type LockedWallet, lockWallets, walletOwner } from '../wallet/index.ts';
import { type Application, ApplicationEntity } from './entities.ts';
import type { ApplicationFacts, ApplicationRecord, IssuedCertificate, LockedApplication, OpenInvoice } from './record.ts';
import { type ApplicationStatus, livingStatuses } from './states.ts';

/** The living statuses as literals, so that the planner uses the partial indexes. */
export const living = literals(livingStatuses);

/** A certificate in the JSON of the statement; instants are texts that `Date` parses. */
type CertificateRow = Omit<IssuedCertificate, 'issuedAt' | 'pdf'> & {
  issuedAt: string;
  pdfStorageKey: string | null;
  pdfSha256: string | null;
  pdfSize: number | null;
  pdfMadeAt: string | null;
};
type FactsRow = Omit<ApplicationFacts, 'certificate' | 'openInvoices'> & {
  certificate: CertificateRow | null;
  openInvoices: (Omit<OpenInvoice, 'expiresAt'> & { expiresAt: string })[];
};

/** Open invoices that are read for the payment rule; each expires after a day. */
const mostInvoices = 100;

/**
 * Selects each application with its documents, profile, service and certificate in one row, which avoids a query for each row.
 *
 * The casts state what the JSON types cannot: a joined row is complete or absent.
 */
function selectFacts(db: Database) {
  return db
    .selectFrom('applications as a')
    .innerJoin('services as s', 's.id', 'a.serviceId')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .leftJoin('files as ph', 'ph.id', 'p.photoId')
    .leftJoin('disciplines as di', 'di.id', 'a.disciplineId')
    .leftJoin('certificates as c', 'c.applicationId', 'a.id')
    .leftJoin('wallets as w', 'w.userId', 'a.ownerId')
    .select((eb) => [
      jsonBuildObject({
        id: eb.ref('s.id'),
        code: eb.ref('s.code'),
        kind: eb.ref('s.kind'),
        title: eb.ref('s.title'),
        category: eb.ref('s.category'),
        cisMrp: eb.ref('s.cisMrp'),
        requiredDocuments: eb.ref('s.requiredDocuments'),
      })
        .$castTo<FactsRow['service']>()
        .as('service'),
      eb
        .case()
        .when('di.id', 'is not', null)
        .then(jsonBuildObject({ id: eb.ref('di.id'), code: eb.ref('di.code'), title: eb.ref('di.title') }))
        .end()
        .$castTo<FactsRow['discipline']>()
        .as('discipline'),
      jsonBuildObject({
        id: eb.ref('p.id'),
        kind: eb.ref('p.kind'),
        name: eb.ref('p.name'),
        status: eb.ref('p.status'),
        photoStatus: eb.ref('p.photoStatus'),
        photoId: eb.ref('p.photoId'),
        isCorrected: eb.ref('p.isCorrected'),
        isPhotoCorrected: eb.ref('p.isPhotoCorrected'),
        isPhotoAvailable: eb.and([eb('ph.id', 'is not', null), eb('ph.deletedAt', 'is', null)]),
        birthDate: sql<string | null>`${sql.ref('p.data')}->>'birth_date'`,
        citizenship: sql<string | null>`${sql.ref('p.data')}->>'citizenship'`,
        names: eb
          .case()
          .when('p.kind', '=', 'athlete')
          .then(jsonBuildObject({ last: nameOf('last_name'), first: nameOf('first_name'), middle: nameOf('middle_name') }))
          .end(),
      })
        .$castTo<FactsRow['profile']>()
        .as('profile'),
      eb
        .selectFrom('application_documents as ad')
        .innerJoin('documents as d', 'd.id', 'ad.documentId')
        .innerJoin('files as f', 'f.id', 'd.fileId')
        .whereRef('ad.applicationId', '=', 'a.id')
        .select((attached) => {
          const document = jsonBuildObject({
            id: attached.ref('d.id'),
            type: attached.ref('d.type'),
            status: attached.ref('d.status'),
            expiresAt: attached.ref('d.expiresAt'),
            isFileAvailable: attached('f.deletedAt', 'is', null),
          });
          return sql<FactsRow['documents']>`coalesce(json_agg(${document} order by ${sql.ref('d.id')}), '[]')`.as('documents');
        })
        .$asScalar()
        .$notNull()
        .as('documents'),
      eb
        .case()
        .when('c.applicationId', 'is not', null)
        .then(
          jsonBuildObject({
            number: eb.ref('c.number'),
            token: eb.ref('c.token'),
            validFrom: eb.ref('c.validFrom'),
            validUntil: eb.ref('c.validUntil'),
            snapshot: eb.ref('c.snapshot'),
            issuedAt: eb.ref('c.issuedAt'),
            pdfStorageKey: eb.ref('c.pdfStorageKey'),
            pdfSha256: eb.ref('c.pdfSha256'),
            pdfSize: eb.ref('c.pdfSize'),
            pdfMadeAt: eb.ref('c.pdfMadeAt'),
          }),
        )
        .end()
        .$castTo<FactsRow['certificate']>()
        .as('certificate'),
      eb.fn.coalesce('w.balanceMinor', eb.lit(0)).as('balanceMinor'),
      sql<FactsRow['openInvoices']>`(
        select coalesce(json_agg(json_build_object('id', i.id, 'status', i.status, 'amountMinor', i.amount_minor, 'expiresAt', i.expires_at)), '[]')
        from (select * from invoices v where v.owner_id = a.owner_id and v.status in ('created', 'pending')
          order by v.id desc limit ${sql.lit(mostInvoices)}) i)`.as('openInvoices'),
    ]);
}

function nameOf(field: 'last_name' | 'first_name' | 'middle_name') {
  return sql<string | null>`${sql.ref('p.data')}->>${sql.lit(field)}`;
}

/** Reads the records behind an application; null when it does not exist. */
export async function findFacts(db: Database, id: number): Promise<ApplicationFacts | null> {
  const row = await selectFacts(db).where('a.id', '=', id).executeTakeFirst();
  return row ? toFacts(row) : null;
}

/** Reads an application with the records behind it; null when it does not exist. Flush changes of the open transaction first. */
export async function findApplication(db: Database, id: number): Promise<ApplicationRecord | null> {
  const row = await selectFacts(db).selectAll('a').where('a.id', '=', id).executeTakeFirst();
  return row ? toRecord(row) : null;
}

/** Reads applications with the records behind them, ordered by id. */
export async function findApplications(db: Database, ids: readonly number[]): Promise<ApplicationRecord[]> {
  if (ids.length === 0) return [];
  const rows = await selectFacts(db).selectAll('a').where('a.id', '=', inList(ids)).orderBy('a.id').execute();
  return rows.map(toRecord);
}

interface ApplicationFilter {
  ownerId: number;
  status?: ApplicationStatus | undefined;
  profileId?: number | undefined;
  year?: number | undefined;
  page: number;
  limit: number;
}

/** Reads a page of an owner's applications, newest first, and the total. Uses applications_owner_index. */
export async function listApplications(db: Database, filter: ApplicationFilter): Promise<{ records: ApplicationRecord[]; total: number }> {
  const { ownerId, status, profileId, year, page, limit } = filter;
  const matching = db
    .selectFrom('applications')
    .where((eb) =>
      eb.and([
        eb('ownerId', '=', ownerId),
        ...(status === undefined ? [] : [eb('status', '=', status)]),
        ...(profileId === undefined ? [] : [eb('profileId', '=', profileId)]),
        ...(year === undefined ? [] : [eb('year', '=', year)]),
      ]),
    );
  const shown = matching
    .select('id')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset((page - 1) * limit);
  const [rows, { total }] = await Promise.all([
    selectFacts(db).selectAll('a').where('a.id', 'in', shown).orderBy('a.id', 'desc').execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { records: rows.map(toRecord), total };
}

/** The key of an active application (APP-1). */
export interface DuplicateKey {
  profileId: number;
  serviceId: number;
  disciplineId: number | null;
  year: number;
}

/** Returns the id of the active application with this key, null when there is none. */
export async function findActiveDuplicate(db: Database, key: DuplicateKey): Promise<number | null> {
  const row = await db
    .selectFrom('applications')
    .select('id')
    .where('profileId', '=', key.profileId)
    .where('serviceId', '=', key.serviceId)
    .where('disciplineId', 'is not distinct from', key.disciplineId)
    .where('year', '=', key.year)
    .where('status', 'in', living)
    .executeTakeFirst();
  return row?.id ?? null;
}

/** Reads the row of an application alone; null when it does not exist. */
export async function findApplicationRow(db: Database, id: number): Promise<Readonly<Application> | null> {
  return (await db.selectFrom('applications').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** Reads the owner and the payer of an application; null when it does not exist. `payerId` is null before payment. */
async function findPayer(
  db: Database,
  id: number,
): Promise<{ ownerId: number; payerId: number | null; paymentTransactionId: number | null } | null> {
  const row = await db
    .selectFrom('applications as a')
    .select((eb) => [
      'a.ownerId',
      'a.paymentTransactionId',
      eb
        .selectFrom('ledger_entries as e')
        .select('e.account')
        .whereRef('e.transactionId', '=', 'a.paymentTransactionId')
        .where(sql<boolean>`${sql.ref('e.account')} like 'wallet:%'`)
        .as('payer'),
    ])
    .where('a.id', '=', id)
    .executeTakeFirst();
  if (!row) return null;
  const { ownerId, paymentTransactionId, payer } = row;
  return { ownerId, paymentTransactionId, payerId: payer === null ? null : walletOwner(payer) };
}

/** Lists ids of living applications that a document is attached to, ascending. Uses application_documents_document_index. */
export async function listLivingOnDocument(db: Database, documentId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('application_documents as ad')
    .innerJoin('applications as a', 'a.id', 'ad.applicationId')
    .select('a.id')
    .where('ad.documentId', '=', documentId)
    .where('a.status', 'in', living)
    .orderBy('a.id')
    .execute();
  return rows.map(({ id }) => id);
}

function toRecord(row: FactsRow & Application): ApplicationRecord {
  const { service, discipline, profile, documents, certificate, balanceMinor, openInvoices, ...application } = row;
  const facts = toFacts({ service, discipline, profile, documents, certificate, balanceMinor, openInvoices });
  return { id: application.id, application, ...facts };
}

function toFacts({ certificate, openInvoices, ...facts }: FactsRow): ApplicationFacts {
  return {
    ...facts,
    certificate: certificate && toCertificate(certificate),
    openInvoices: openInvoices.map((invoice) => ({ ...invoice, expiresAt: new Date(invoice.expiresAt) })),
  };
}

function toCertificate(row: CertificateRow): IssuedCertificate {
  const { pdfStorageKey, pdfSha256, pdfSize, pdfMadeAt, issuedAt, ...certificate } = row;
  const isMade = pdfStorageKey !== null && pdfSha256 !== null && pdfSize !== null && pdfMadeAt !== null;
  return {
    ...certificate,
    issuedAt: new Date(issuedAt),
    pdf: isMade ? { storageKey: pdfStorageKey, sha256: pdfSha256, size: pdfSize, madeAt: new Date(pdfMadeAt) } : null,
  };
}

/** Reads the records behind a row that this transaction has locked. Flush changes of the row first. */
export async function withFacts(ctx: CommandContext, application: Locked<Application>): Promise<LockedApplication> {
  const facts = await findFacts(ctx.db, application.id);
  if (!facts) throw new Error(`application ${application.id} was not found in its own transaction`);
  return { id: application.id, application, ...facts };
}

/**
 * Locks an application for change and reads the records behind it.
 * @throws {DomainError} not_found
 */
export async function lockApplication(ctx: CommandContext, id: number): Promise<LockedApplication> {
  return withFacts(ctx, await lockRow(ctx, id));
}

/**
 * Locks an application like `lockApplication`, and its attached documents in share mode.
 *
 * Otherwise an owner could change a document as "unused" while this transaction submits it.
 * @throws {DomainError} not_found
 */
export async function lockApplicationAndDocuments(ctx: CommandContext, id: number): Promise<LockedApplication> {
  const application = await lockRow(ctx, id);
  await ctx.db
    .selectFrom('application_documents as ad')
    .innerJoin('documents as d', 'd.id', 'ad.documentId')
    .select('d.id')
    .where('ad.applicationId', '=', id)
    .orderBy('d.id')
    .forShare('d')
    .execute();
  return withFacts(ctx, application);
}

/** An application under its lock, with the locked wallets of owner and payer. */
export interface LockedWithWallet extends LockedApplication {
  /** The wallet of the owner, who pays. */
  wallet: LockedWallet;
  /** User whose wallet paid and receives a refund; differs from the owner after a transfer. Null while unpaid. */
  payerId: number | null;
}

/**
 * Locks the wallets of owner and payer, then the application, for commands that may move money. The order avoids deadlocks.
 * @throws {DomainError} not_found, also for the previous owner; service_unavailable when the owner changed between read and lock
 */
export async function lockApplicationAndWallet(ctx: CommandContext, id: number): Promise<LockedWithWallet> {
  const seen = await findPayer(ctx.db, id);
  if (seen === null) throw new DomainError('not_found');
  const { ownerId, payerId } = seen;
  const wallets = await lockWallets(ctx, payerId === null ? [ownerId] : [ownerId, payerId]);
  const wallet = wallets.find(({ userId }) => userId === ownerId);
  if (wallet === undefined) throw new Error(`the wallet of user ${ownerId} was not locked`);
  const locked = await lockApplication(ctx, id);
  if (locked.application.ownerId !== ownerId && actingUserId(ctx.actor) === ownerId) throw new DomainError('not_found');
  // The owner changed between read and lock; a retry sees the new owner.
  if (locked.application.ownerId !== ownerId) throw new DomainError('service_unavailable');
  // Only the owner can have paid between read and lock.
  const isPaidSince = locked.application.paymentTransactionId !== seen.paymentTransactionId;
  return { ...locked, wallet, payerId: isPaidSince ? ownerId : payerId };
}

async function lockRow(ctx: CommandContext, id: number): Promise<Locked<Application>> {
  const application = await lockForChange(ctx.em, ApplicationEntity, { id });
  if (!application) throw new DomainError('not_found');
  return application;
}
