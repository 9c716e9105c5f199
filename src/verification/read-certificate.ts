import type { ApplicationStatus } from '../applications/states.ts';
import type { ServiceKind } from '../catalog/entities.ts';
import type { DocumentStatus } from '../documents/states.ts';
import type { Platform } from '../platform/platform.ts';
import type { ReviewStatus } from '../profiles/states.ts';
import type { ValidityFacts } from './validity.ts';

/** What the public verification knows of a certificate: no names, no internal ids. */
export interface CertificateFacts {
  kind: ServiceKind;
  number: string;
  sharingEnabled: boolean;
  validity: ValidityFacts;
  /** The present instant by the registry's clock. */
  now: Date;
}

interface Row {
  kind: ServiceKind;
  number: string;
  sharing_enabled: boolean;
  status: ApplicationStatus;
  is_paid: boolean;
  valid_from: string;
  valid_until: string;
  is_athlete: boolean;
  profile_status: ReviewStatus;
  profile_has_note: boolean;
  photo_status: ReviewStatus;
  photo_has_note: boolean;
  photo_is_present: boolean;
  documents: [DocumentStatus, string | null][];
  offset_seconds: string | null;
}

/**
 * One statement, by certificates_token_unique and then primary keys only, so that it costs the same among a thousand and a
 * million certificates. The sandbox's clock is read along: a second round trip would cost as much as the first.
 */
const statement = {
  name: 'verify-certificate',
  text: `
    select a.kind, c.number, a.sharing_enabled, a.status, a.paid or a.amount_minor = 0 as is_paid,
      c.valid_from::text as valid_from, c.valid_until::text as valid_until,
      p.kind = 'athlete' as is_athlete, p.status as profile_status, p.review_note is not null as profile_has_note,
      p.photo_status, p.photo_review_note is not null as photo_has_note, p.photo_id is not null as photo_is_present,
      (select coalesce(json_agg(json_build_array(d.status, d.expires_at)), '[]')
         from application_documents ad join documents d on d.id = ad.document_id where ad.application_id = c.application_id) as documents,
      (select offset_seconds from sandbox_clock where id = 1) as offset_seconds
    from certificates c join applications a on a.id = c.application_id join profiles p on p.id = a.profile_id
    where c.token = $1`,
};

/** Reads what stands behind a token; null when there is no such token. It goes to the driver itself: this is the registry's busiest question. */
export async function readCertificate(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<CertificateFacts | null> {
  const pool = await platform.orm.em.getConnection().getNativeClient();
  const { rows } = await pool.query<Row>({ ...statement, values: [token] });
  const [row] = rows;
  if (!row) return null;
  const offsetSeconds = platform.clock.sandbox ? Number(row.offset_seconds ?? 0) : 0;
  return {
    kind: row.kind,
    number: row.number,
    sharingEnabled: row.sharing_enabled,
    now: new Date(Date.now() + offsetSeconds * 1000),
    validity: {
      status: row.status,
      isPaid: row.is_paid,
      validFrom: row.valid_from,
      validUntil: row.valid_until,
      profile: { status: row.profile_status, hasNote: row.profile_has_note },
      photo: row.is_athlete ? { status: row.photo_status, hasNote: row.photo_has_note, isPresent: row.photo_is_present } : null,
      documents: row.documents.map(([status, expiresAt]) => ({ status, expiresAt })),
    },
  };
}
