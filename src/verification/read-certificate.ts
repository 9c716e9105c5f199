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

/** The one column of the answer: fifteen of them would take longer to describe, on each request, than to send. */
interface Facts {
  kind: ServiceKind;
  number: string;
  sharing: boolean;
  status: ApplicationStatus;
  paid: boolean;
  resubmission_due: boolean;
  from: string;
  until: string;
  profile: [ReviewStatus, hasNote: boolean];
  /** Null where the profile needs none. */
  photo: [ReviewStatus, hasNote: boolean, isPresent: boolean] | null;
  documents: [DocumentStatus, expiresAt: string | null][] | null;
  offset_seconds: number | null;
}

/**
 * One statement, by certificates_token_unique and then primary keys only, so that it costs the same among a thousand and a
 * million certificates. The sandbox's clock is read along: a second round trip would cost as much as the first. It has a name,
 * so that each connection plans it once: planning takes longer than all the rest.
 */
export const certificateStatement = {
  name: 'verify-certificate',
  text: `
    select json_build_object(
      'kind', a.kind, 'number', c.number, 'sharing', a.sharing_enabled, 'status', a.status,
      'paid', a.paid or a.amount_minor = 0, 'resubmission_due', a.resubmission_due_since is not null, 'from', c.valid_from, 'until', c.valid_until,
      'profile', json_build_array(p.status, p.review_note is not null),
      'photo', case when p.kind = 'athlete' then json_build_array(p.photo_status, p.photo_review_note is not null, p.photo_id is not null) end,
      'documents', (select json_agg(json_build_array(d.status, d.expires_at))
         from application_documents ad join documents d on d.id = ad.document_id where ad.application_id = c.application_id),
      'offset_seconds', (select offset_seconds from sandbox_clock where id = 1)) as facts
    from certificates c join applications a on a.id = c.application_id join profiles p on p.id = a.profile_id
    where c.token = $1`,
};

/** Reads what stands behind a token; null when there is no such token. It goes to the driver itself: this is the registry's busiest question. */
export async function readCertificate(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<CertificateFacts | null> {
  const pool = await platform.orm.em.getConnection().getNativeClient();
  const { rows } = await pool.query<{ facts: Facts }>({ ...certificateStatement, values: [token] });
  const facts = rows[0]?.facts;
  if (!facts) return null;
  const offsetSeconds = platform.clock.sandbox ? (facts.offset_seconds ?? 0) : 0;
  const [profileStatus, profileHasNote] = facts.profile;
  return {
    kind: facts.kind,
    number: facts.number,
    sharingEnabled: facts.sharing,
    now: new Date(Date.now() + offsetSeconds * 1000),
    validity: {
      status: facts.status,
      isPaid: facts.paid,
      isResubmissionDue: facts.resubmission_due,
      validFrom: facts.from,
      validUntil: facts.until,
      profile: { status: profileStatus, hasNote: profileHasNote },
      photo: facts.photo && { status: facts.photo[0], hasNote: facts.photo[1], isPresent: facts.photo[2] },
      documents: (facts.documents ?? []).map(([status, expiresAt]) => ({ status, expiresAt })),
    },
  };
}
