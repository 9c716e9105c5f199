import type { EntityManager } from '@mikro-orm/postgresql';
import { executePrepared } from '../platform/database/prepared.ts';
import type { ApplicationRecord, IssuedCertificate } from './record.ts';
import type { ApplicationStatus } from './states.ts';

/** The columns of `selectApplications`; instants are text, in a form that Date reads. */
type Row = Omit<ApplicationRecord, 'certificate' | InstantName> &
  Record<InstantName, string | null> & { certificate: CertificateRow | null; total?: string };
type InstantName =
  | 'paidAt'
  | 'sharingConfirmedAt'
  | 'submittedAt'
  | 'resubmissionDueSince'
  | 'approvedAt'
  | 'cancelledAt'
  | 'closedAt'
  | 'createdAt'
  | 'updatedAt';
interface CertificateRow {
  number: string;
  token: string;
  validFrom: string;
  validUntil: string;
  snapshot: IssuedCertificate['snapshot'];
  issuedAt: string;
  pdfStorageKey: string | null;
  pdfSha256: string | null;
  pdfSize: number | null;
  pdfMadeAt: string | null;
}

/** One row for each application with its documents, profile, service and certificate: no list asks again for each row. */
const selectApplications = `
  select a.id, a.owner_id as "ownerId", a.profile_id as "profileId", a.service_id as "serviceId", a.discipline_id as "disciplineId",
    a.kind, a.year, a.data, a.status, a.amount_minor::float8 as "amountMinor", a.insurance_coverage_minor::float8 as "insuranceCoverageMinor",
    a.breakdown, a.paid, a.paid_at as "paidAt", a.payment_transaction_id as "paymentTransactionId",
    a.refund_transaction_id as "refundTransactionId", a.review_note as "reviewNote", a.sharing_enabled as "sharingEnabled",
    a.sharing_confirmed_at as "sharingConfirmedAt", a.revision, a.submitted_at as "submittedAt",
    a.resubmission_due_since as "resubmissionDueSince", a.approved_at as "approvedAt",
    a.cancelled_at as "cancelledAt", a.closed_at as "closedAt", a.created_at as "createdAt", a.updated_at as "updatedAt",
    json_build_object('id', s.id, 'code', s.code, 'kind', s.kind, 'title', s.title, 'category', s.category,
      'requiredDocuments', s.required_documents) as service,
    case when di.id is not null then json_build_object('id', di.id, 'code', di.code, 'title', di.title) end as discipline,
    json_build_object('id', p.id, 'kind', p.kind, 'name', p.name, 'status', p.status, 'photoStatus', p.photo_status, 'photoId', p.photo_id,
      'isPhotoAvailable', ph.id is not null and ph.deleted_at is null, 'birthDate', p.data->>'birth_date',
      'citizenship', p.data->>'citizenship') as profile,
    coalesce(attached.documents, '[]') as documents,
    case when c.application_id is not null then json_build_object('number', c.number, 'token', c.token, 'validFrom', c.valid_from,
      'validUntil', c.valid_until, 'snapshot', c.snapshot, 'issuedAt', c.issued_at, 'pdfStorageKey', c.pdf_storage_key,
      'pdfSha256', c.pdf_sha256, 'pdfSize', c.pdf_size, 'pdfMadeAt', c.pdf_made_at) end as certificate,
    coalesce(w.balance_minor, 0)::float8 as "balanceMinor",
    exists (select from invoices i where i.owner_id = a.owner_id and i.status = 'pending') as "hasInvoiceAtBank"`;

const fromApplications = `
  from applications a
  join services s on s.id = a.service_id
  join profiles p on p.id = a.profile_id
  left join files ph on ph.id = p.photo_id
  left join disciplines di on di.id = a.discipline_id
  left join certificates c on c.application_id = a.id
  left join wallets w on w.user_id = a.owner_id
  left join lateral (
    select json_agg(json_build_object('id', d.id, 'type', d.type, 'status', d.status, 'expiresAt', d.expires_at,
      'isFileAvailable', f.deleted_at is null) order by d.id) as documents
    from application_documents ad join documents d on d.id = ad.document_id join files f on f.id = d.file_id
    where ad.application_id = a.id
  ) attached on true`;

// Asked several times in each command of an application: planned once, and one column, since the driver would spend longer on the
// names of thirty than on what they hold.
const oneApplication = `select to_json(found) as record from (${selectApplications} ${fromApplications} where a.id = $1) found`;

/** One application with all that belongs to it, null when there is none. Changes of the open transaction must be flushed before. */
export async function findApplication(em: EntityManager, id: number): Promise<ApplicationRecord | null> {
  const [row] = await executePrepared<{ record: Row }>(em, oneApplication, [id]);
  return row ? toRecord(row.record) : null;
}

/** These applications with all that belongs to them, in the order of their ids. */
export async function findApplications(em: EntityManager, ids: readonly number[]): Promise<ApplicationRecord[]> {
  if (ids.length === 0) return [];
  const rows = await em.execute<Row[]>(`${selectApplications} ${fromApplications} where a.id = any (?::int[]) order by a.id`, [
    `{${ids.join(',')}}`,
  ]);
  return rows.map(toRecord);
}

export interface ApplicationFilter {
  ownerId: number;
  status?: ApplicationStatus | undefined;
  profileId?: number | undefined;
  year?: number | undefined;
  page: number;
  limit: number;
}

/** A person's applications, newest first, and how many match in all. */
export async function listApplications(
  em: EntityManager,
  filter: ApplicationFilter,
): Promise<{ records: ApplicationRecord[]; total: number }> {
  const conditions = ['a.owner_id = ?'];
  const params: unknown[] = [filter.ownerId];
  const narrow = (column: string, value: unknown) => {
    if (value === undefined) return;
    conditions.push(`${column} = ?`);
    params.push(value);
  };
  narrow('a.status', filter.status);
  narrow('a.profile_id', filter.profileId);
  narrow('a.year', filter.year);
  const where = conditions.join(' and ');
  const offset = (filter.page - 1) * filter.limit;
  const rows = await em.execute<Row[]>(
    `${selectApplications}, count(*) over () as total ${fromApplications} where ${where} order by a.id desc limit ? offset ?`,
    [...params, filter.limit, offset],
  );
  return { records: rows.map(toRecord), total: Number(rows[0]?.total ?? (offset === 0 ? 0 : await countApplications(em, where, params))) };
}

/** A page past the end has no row to carry the total. */
async function countApplications(em: EntityManager, where: string, params: unknown[]): Promise<string> {
  const [row] = await em.execute<{ total: string }[]>(`select count(*) as total from applications a where ${where}`, params);
  return row?.total ?? '0';
}

/** The application that stands in the way of another of the same profile, service, discipline and year. */
export async function findActiveTwin(
  em: EntityManager,
  twin: { profileId: number; serviceId: number; disciplineId: number | null; year: number },
): Promise<number | null> {
  const [row] = await em.execute<{ id: number }[]>(
    `select id from applications
     where profile_id = ? and service_id = ? and discipline_id is not distinct from ? and year = ? and status not in ('cancelled', 'closed')`,
    [twin.profileId, twin.serviceId, twin.disciplineId, twin.year],
  );
  return row?.id ?? null;
}

/** The account an application belongs to, null when there is no such application. */
export async function findOwnerOfApplication(em: EntityManager, id: number): Promise<number | null> {
  const [row] = await executePrepared<{ owner_id: number }>(em, 'select owner_id from applications where id = $1', [id]);
  return row?.owner_id ?? null;
}

function toRecord({ certificate, total: _total, ...row }: Row): ApplicationRecord {
  return {
    ...row,
    paidAt: instant(row.paidAt),
    sharingConfirmedAt: instant(row.sharingConfirmedAt),
    submittedAt: instant(row.submittedAt),
    resubmissionDueSince: instant(row.resubmissionDueSince),
    approvedAt: instant(row.approvedAt),
    cancelledAt: instant(row.cancelledAt),
    closedAt: instant(row.closedAt),
    createdAt: new Date(row.createdAt ?? 0),
    updatedAt: new Date(row.updatedAt ?? 0),
    certificate: certificate && toCertificate(certificate),
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

function instant(text: string | null): Date | null {
  return text === null ? null : new Date(text);
}
