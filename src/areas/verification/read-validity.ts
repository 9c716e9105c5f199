import { type RawBuilder, sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList, databaseOf } from '../../platform/database/database.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApplicationStatus } from '../applications/index.ts';
import { countsUntil, type DocumentType, type Requirements, type ServiceKind } from '../catalog/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { type CertificateFacts, readCertificate } from './read-certificate.ts';
import type { DocumentBehind, ReviewedPart, ValidityFacts } from './validity.ts';

/** A document behind a certificate with its id. */
interface NamedDocument extends DocumentBehind {
  id: number;
}

/** An issued certificate with its present facts, for areas that depend on it; not for public answers. */
export interface CertificateValidity {
  applicationId: number;
  token: string;
  number: string;
  kind: ServiceKind;
  disciplineId: number | null;
  profileId: number;
  ownerId: number;
  validity: Omit<ValidityFacts, 'documents'> & { documents: readonly NamedDocument[] };
}

/**
 * Reads the present facts of these applications' certificates in one statement by primary keys. `stateOn` judges them for a day.
 * @returns by application id; without applications that were never issued
 */
export async function readValidityOf(
  db: Database,
  applicationIds: readonly number[],
): Promise<ReadonlyMap<number, Readonly<CertificateValidity>>> {
  if (applicationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('certificates as c')
    .innerJoin('applications as a', 'a.id', 'c.applicationId')
    .innerJoin('profiles as p', 'p.id', 'a.profileId')
    .innerJoin('services as s', 's.id', 'a.serviceId')
    .where('c.applicationId', '=', inList([...new Set(applicationIds)]))
    .select((eb) => [
      'c.applicationId',
      'c.token',
      'c.number',
      'c.validFrom',
      'c.validUntil',
      'a.kind',
      'a.disciplineId',
      'a.profileId',
      'a.ownerId',
      'a.status',
      eb
        .or([eb('a.paid', '=', true), eb('a.amountMinor', '=', 0)])
        .$castTo<boolean>()
        .as('isPaid'),
      eb('a.resubmissionDueSince', 'is not', null).$castTo<boolean>().as('isResubmissionDue'),
      jsonBuildObject({ status: eb.ref('p.status'), hasNote: eb('p.reviewNote', 'is not', null).$castTo<boolean>() }).as('profile'),
      eb
        .case()
        .when('p.kind', '=', 'athlete')
        .then(
          jsonBuildObject({
            status: eb.ref('p.photoStatus'),
            hasNote: eb('p.photoReviewNote', 'is not', null).$castTo<boolean>(),
            isPresent: eb('p.photoId', 'is not', null).$castTo<boolean>(),
          }),
        )
        .end()
        .as('photo'),
      eb
        .selectFrom('application_documents as ad')
        .innerJoin('documents as d', 'd.id', 'ad.documentId')
        .whereRef('ad.applicationId', '=', 'a.id')
        .select((behind) => {
          const document = jsonBuildObject({
            id: behind.ref('d.id'),
            type: behind.ref('d.type'),
            status: behind.ref('d.status'),
            expiresAt: behind.ref('d.expiresAt'),
          });
          return sql<Typed<NamedDocument>[]>`coalesce(json_agg(${document} order by ${sql.ref('d.id')}), '[]')`.as('documents');
        })
        .$asScalar()
        .$notNull()
        .as('documents'),
      jsonBuildObject({
        requiredDocuments: eb.ref('s.requiredDocuments'),
        birthDate: sql<string | null>`${sql.ref('p.data')}->>'birth_date'`,
      }).as('requirements'),
    ])
    .execute();
  return new Map(
    rows.map(({ applicationId, token, number, kind, disciplineId, profileId, ownerId, documents, requirements, ...facts }) => {
      const validity = { ...facts, documents: withEnds(documents, requirements) };
      return [applicationId, { applicationId, token, number, kind, disciplineId, profileId, ownerId, validity }];
    }),
  );
}

/** A document as the statements select it. */
type Typed<Behind extends DocumentBehind> = Omit<Behind, 'countsUntil'> & { type: DocumentType };

/** Adds the day from which each document no longer counts (APP-20). */
function withEnds<Behind extends Omit<DocumentBehind, 'countsUntil'>>(
  documents: readonly (Behind & { type: DocumentType })[],
  requirements: Requirements,
): (Omit<Behind, 'type'> & DocumentBehind)[] {
  return documents.map(({ type, ...document }) => ({ ...document, countsUntil: countsUntil({ type }, requirements) }));
}

interface Facts {
  status: ApplicationStatus;
  paid: boolean;
  resubmission_due: boolean;
  from: string;
  until: string;
  profile: ReviewedPart & { status: ReviewStatus };
  photo: ValidityFacts['photo'];
  documents: Typed<NamedDocument>[];
  requirements: Requirements;
}

/**
 * Reads the facts of a token for a day: a past day from the history, any other day from the present facts (VER-4).
 *
 * Runs both queries for every token, so that an unknown one takes the same time (VER-3).
 * @param day `YYYY-MM-DD`
 * @returns null when the token is unknown
 */
export async function readCertificateOn(
  platform: Pick<Platform, 'orm' | 'clock'>,
  token: string,
  day: string,
): Promise<CertificateFacts | null> {
  const asked = sql<AskedDay>`select c.application_id, ${day}::text from certificates c where c.token = ${token}`;
  const [certificate, [past]] = await Promise.all([
    readCertificate(platform, token),
    readFactsOf(databaseOf(platform.orm.em.fork()), asked),
  ]);
  if (certificate === null || past === undefined || day >= dayOf(certificate.now)) return certificate;
  return { ...certificate, validity: past.validity };
}

/** Consecutive days, `YYYY-MM-DD` in UTC+5, both included. */
interface Days {
  first: string;
  last: string;
}

/** The facts of a certificate at the end of a day; they hold until the day of the next ones. */
export interface PastValidity {
  day: string;
  validity: CertificateValidity['validity'];
}

/**
 * Reads from the history how certificates stood on past days, in one statement (VER-4). `stateOn` judges them for a day.
 *
 * The first facts are those at the end of the first day; further ones follow for each day of a change. Uses
 * application_history_application_index and review_standings_subject_index.
 * @param daysOf past days by application id
 * @returns the facts by application id, the earliest first; without applications that have no history
 */
export async function readPastValidityOf(
  db: Database,
  daysOf: ReadonlyMap<number, Days>,
): Promise<ReadonlyMap<number, readonly PastValidity[]>> {
  const past = new Map<number, PastValidity[]>();
  if (daysOf.size === 0) return past;
  const asked = [...daysOf];
  const days = sql`unnest(${asked.map(([id]) => id)}::int[], ${asked.map(([, { first }]) => first)}::text[],
    ${asked.map(([, { last }]) => last)}::text[]) d (id, first, last)`;
  const changes = sql<AskedDay>`
    select d.id, d.first from ${days}
    union
    select d.id, (changed.at at time zone interval '5 hours')::date::text
    from ${days}
    join applications a on a.id = d.id
    cross join lateral (
      select h.at from application_history h where h.application_id = d.id
      union all
      select s.at from review_standings s where s.subject_kind in ('profile', 'photo') and s.subject_id = a.profile_id
      union all
      select s.at from review_standings s where s.subject_kind = 'document' and s.subject_id in (
        select unnest(h.document_ids) from application_history h where h.application_id = d.id)
    ) changed
    where (changed.at at time zone interval '5 hours')::date::text > d.first
      and (changed.at at time zone interval '5 hours')::date::text <= d.last`;
  for (const { applicationId, ...facts } of await readFactsOf(db, changes)) {
    const ofOne = past.get(applicationId);
    if (ofOne === undefined) past.set(applicationId, [facts]);
    else ofOne.push(facts);
  }
  return past;
}

/** A certificate and a day, `YYYY-MM-DD`. */
interface AskedDay {
  application_id: number;
  day: string;
}

/**
 * Reads from the history the facts of certificates at the end of days in UTC+5, ordered by day.
 *
 * The facts are the application, its attached documents, the profile and the photo as of that instant. For days before the issue, which
 * an administrator may include, the facts at issue count.
 */
async function readFactsOf(db: Database, asked: RawBuilder<AskedDay>): Promise<(PastValidity & { applicationId: number })[]> {
  const standing = (kind: string, id: string) => sql`(
    select s.* from review_standings s
    where s.subject_kind = ${sql.lit(kind)} and s.subject_id = ${sql.raw(id)} and (s.at < asked.ends or s.at <= c.issued_at)
    order by s.id desc limit 1)`;
  const { rows } = await sql<{ applicationId: number; day: string; facts: Facts }>`
    select asked.id as "applicationId", asked.day, json_build_object(
      'status', h.status, 'paid', h.is_settled, 'resubmission_due', h.is_resubmission_due, 'from', c.valid_from, 'until', c.valid_until,
      'profile', json_build_object('status', profile.status, 'hasNote', profile.has_note),
      'photo', case when p.kind = 'athlete'
        then json_build_object('status', photo.status, 'hasNote', photo.has_note, 'isPresent', photo.is_present) end,
      'documents', (
        select coalesce(json_agg(json_build_object('id', attached.id, 'type', d.type, 'status', document.status, 'expiresAt', document.expires_at)), '[]')
        from unnest(h.document_ids) attached (id) join documents d on d.id = attached.id
          cross join lateral ${standing('document', 'attached.id')} document),
      'requirements', json_build_object('requiredDocuments', v.required_documents, 'birthDate', p.data->>'birth_date')) as facts
    from (select q.id, q.day, (q.day::date + 1)::timestamp at time zone interval '5 hours' as ends from (${asked}) q (id, day)) asked
    join certificates c on c.application_id = asked.id
    join applications a on a.id = c.application_id
    join profiles p on p.id = a.profile_id
    join services v on v.id = a.service_id
    cross join lateral (
      select * from application_history h
      where h.application_id = c.application_id and (h.at < asked.ends or h.at <= c.issued_at)
      order by h.id desc limit 1) h
    cross join lateral ${standing('profile', 'p.id')} profile
    cross join lateral ${standing('photo', 'p.id')} photo
    order by asked.day`.execute(db);
  return rows.map(
    ({
      applicationId,
      day,
      facts: { status, paid, resubmission_due: isResubmissionDue, from, until, profile, photo, documents, requirements },
    }) => ({
      applicationId,
      day,
      validity: {
        status,
        isPaid: paid,
        isResubmissionDue,
        validFrom: from,
        validUntil: until,
        profile,
        photo,
        documents: withEnds(documents, requirements),
      },
    }),
  );
}
