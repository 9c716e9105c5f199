import { sql } from 'kysely';
import { type Database, databaseOf } from '../../platform/database/database.ts';
import { dayOf, endOfDay } from '../../platform/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ApplicationStatus } from '../applications/index.ts';
import type { DocumentStatus } from '../documents/index.ts';
import type { ReviewStatus } from '../profiles/index.ts';
import { type CertificateFacts, readCertificate } from './read-certificate.ts';
import type { ReviewedPart, ValidityFacts } from './validity.ts';

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
 * What stands behind a token for a day: on a past one what stood then, else what stands now. Both are asked for at once, whether or not
 * there is such a token, so that an unknown one takes as long as another.
 * @param day `YYYY-MM-DD`
 * @returns null when there is no such token
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
 * What the validity of a certificate rested on when days of UTC+5 ended, as its history keeps it: the application then, the documents
 * that were attached then, and how these, the profile and its photo stood then. A certificate may be given days before the one on which
 * it was issued; for those it counts as it was issued. By certificates_token_unique, application_history_application_index and
 * review_standings_subject_index.
 * @param days `YYYY-MM-DD`
 * @returns by the day; nothing when there is no such token
 */
export async function readPastValidity(db: Database, token: string, days: readonly string[]): Promise<ReadonlyMap<string, ValidityFacts>> {
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
