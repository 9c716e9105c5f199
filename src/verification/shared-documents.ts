import type { CertificateSnapshot } from '../applications/entities.ts';
import type { DocumentType } from '../documents/states.ts';
import type { FileMime } from '../files/entities.ts';
import { dayOf } from '../platform/date-time.ts';
import type { Platform } from '../platform/platform.ts';
import { readCertificate } from './read-certificate.ts';
import type { CertificateFacts } from './read-certificate.ts';
import { stateOn } from './validity.ts';

/** A scan that the licence's owner lets see whoever has scanned the QR. */
export interface SharedDocument {
  type: DocumentType;
  issuedAt: string | null;
  expiresAt: string | null;
  file: { key: string; size: number; sha256: string; mime: FileMime };
}

export interface SharedLicence {
  certificate: CertificateFacts;
  snapshot: CertificateSnapshot;
  documents: SharedDocument[];
}

/** Whether the scans may be opened now: an international licence in force, with its owner's consent (service.md). */
export function canOpenDocuments(certificate: CertificateFacts): boolean {
  return (
    certificate.kind === 'international_licence' &&
    certificate.sharingEnabled &&
    stateOn(certificate.validity, dayOf(certificate.now)) === 'valid'
  );
}

/**
 * The documents behind a licence, in the order in which they were added. Validity and consent are tested first and at every
 * opening, and the scans are read only where both hold.
 * @returns null when there is no such token or its documents may not be seen: to a stranger it is all the same
 */
export async function readSharedLicence(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<SharedLicence | null> {
  const certificate = await readCertificate(platform, token);
  if (!certificate || !canOpenDocuments(certificate)) return null;
  const rows = await platform.orm.em.fork().execute<Row[]>(
    `select c.snapshot, d.type, d.issued_at::text as issued_at, d.expires_at::text as expires_at, f.storage_key, f.size, f.sha256, f.mime
     from certificates c join applications a on a.id = c.application_id
     join application_documents ad on ad.application_id = a.id
     join documents d on d.id = ad.document_id and d.status = 'approved'
     join files f on f.id = d.file_id and f.deleted_at is null
     where c.token = ? and a.status = 'approved' and a.resubmission_due_since is null and a.sharing_enabled order by d.id`,
    [token],
  );
  const [first] = rows;
  return first ? { certificate, snapshot: first.snapshot, documents: rows.map(toDocument) } : null;
}

interface Row {
  snapshot: CertificateSnapshot;
  type: DocumentType;
  issued_at: string | null;
  expires_at: string | null;
  storage_key: string;
  size: number;
  sha256: string;
  mime: FileMime;
}

function toDocument(row: Row): SharedDocument {
  return {
    type: row.type,
    issuedAt: row.issued_at,
    expiresAt: row.expires_at,
    file: { key: row.storage_key, size: row.size, sha256: row.sha256, mime: row.mime },
  };
}
