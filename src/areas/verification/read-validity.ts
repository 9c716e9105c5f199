import { sql } from 'kysely';
import { jsonBuildObject } from 'kysely/helpers/postgres';
import { type Database, inList, databaseOf } from '../../platform/database/database.ts';
import { dayOf, endOfDay } from '../../platform/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApplicationStatus } from '../applications/index.ts';
import type { ServiceKind } from '../catalog/index.ts';
import type { DocumentStatus } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { type CertificateFacts, readCertificate } from './read-certificate.ts';
import { type ReviewedPart, stateOn, type ValidityFacts, type VerificationState } from './validity.ts';

/** The present state of a document behind a certificate. */
interface DocumentBehind {
  id: number;
  status: DocumentStatus;
  /** `YYYY-MM-DD`, the last valid day. */
  expiresAt: string | null;
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
  validity: Omit<ValidityFacts, 'documents'> & { documents: readonly DocumentBehind[] };
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
            status: behind.ref('d.status'),
            expiresAt: behind.ref('d.expiresAt'),
          });
          return sql<DocumentBehind[]>`coalesce(json_agg(${document} order by ${sql.ref('d.id')}), '[]')`.as('documents');
        })
        .$asScalar()
        .$notNull()
        .as('documents'),
    ])
    .execute();
  return new Map(
    rows.map(({ applicationId, token, number, kind, disciplineId, profileId, ownerId, ...validity }) => [
      applicationId,
      { applicationId, token, number, kind, disciplineId, profileId, ownerId, validity },
    ]),
  );
}

interface Facts {
  status: ApplicationStatus;
  paid: boolean;
  resubmission_due: boolean;
  from: string;
  until: string;
  profile: ReviewedPart & { status: ReviewStatus };
  photo: ValidityFacts['photo'];
  documents: { status: DocumentStatus; expiresAt: string | null }[];
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
  const [certificate, past] = await Promise.all([
    readCertificate(platform, token),
    readPastValidity(databaseOf(platform.orm.em.fork()), token, [day]),
  ]);
  const validity = past.get(day);
  if (certificate === null || validity === undefined || day >= dayOf(certificate.now)) return certificate;
  return { ...certificate, validity };
}

/**
 * Reads from the history the facts of a certificate at the end of past days in UTC+5.
 *
 * The facts are the application, its attached documents, the profile and the photo as of that instant. For days before the issue, which
 * an administrator may include, the facts at issue count. Uses certificates_token_unique, application_history_application_index and
 * review_standings_subject_index.
 * @param days `YYYY-MM-DD`
 * @returns facts by day; empty when the token is unknown
 */
async function readPastValidity(db: Database, token: string, days: readonly string[]): Promise<ReadonlyMap<string, ValidityFacts>> {
  const ends = days.map((day) => endOfDay(day).toISOString());
  const standing = (kind: string, id: string) => sql`(
    select s.* from review_standings s
    where s.subject_kind = ${sql.lit(kind)} and s.subject_id = ${sql.raw(id)} and (s.at < asked.ends or s.at <= c.issued_at)
    order by s.id desc limit 1)`;
  const { rows } = await sql<{ day: string; facts: Facts }>`
    select asked.day, json_build_object(
      'status', h.status, 'paid', h.is_settled, 'resubmission_due', h.is_resubmission_due, 'from', c.valid_from, 'until', c.valid_until,
      'profile', json_build_object('status', profile.status, 'hasNote', profile.has_note),
      'photo', case when p.kind = 'athlete'
        then json_build_object('status', photo.status, 'hasNote', photo.has_note, 'isPresent', photo.is_present) end,
      'documents', (select coalesce(json_agg(json_build_object('status', document.status, 'expiresAt', document.expires_at)), '[]')
        from unnest(h.document_ids) attached (id) cross join lateral ${standing('document', 'attached.id')} document)) as facts
    from unnest(${[...days]}::text[], ${ends}::timestamptz[]) asked (day, ends)
    join certificates c on c.token = ${token}
    join applications a on a.id = c.application_id
    join profiles p on p.id = a.profile_id
    cross join lateral (
      select * from application_history h
      where h.application_id = c.application_id and (h.at < asked.ends or h.at <= c.issued_at)
      order by h.id desc limit 1) h
    cross join lateral ${standing('profile', 'p.id')} profile
    cross join lateral ${standing('photo', 'p.id')} photo`.execute(db);
  return new Map(
    rows.map(({ day, facts: { status, paid, resubmission_due: isResubmissionDue, from, until, profile, photo, documents } }) => [
      day,
      { status, isPaid: paid, isResubmissionDue, validFrom: from, validUntil: until, profile, photo, documents },
    ]),
  );
}

/** A day on which a certificate is not valid, `YYYY-MM-DD`, and the reason. */
export interface InvalidDay {
  day: string;
  state: Exclude<VerificationState, 'valid'>;
}

/**
 * Returns the first of these days on which a certificate is not valid; null when it is valid on all of them.
 *
 * Decides as `GET /verify/{token}?on=` does (VER-4).
 * @param days `YYYY-MM-DD`, ascending
 */
export async function firstInvalidDay(
  db: Database,
  now: Date,
  certificate: Pick<CertificateValidity, 'token' | 'validity'>,
  days: readonly string[],
): Promise<InvalidDay | null> {
  const pastDays = days.filter((day) => day < dayOf(now));
  const past = pastDays.length === 0 ? null : await readPastValidity(db, certificate.token, pastDays);
  for (const day of days) {
    const state = stateOn(past?.get(day) ?? certificate.validity, day);
    if (state !== 'valid') return { day, state };
  }
  return null;
}
