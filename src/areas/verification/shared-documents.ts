import { query } from '../../platform/commands/command.ts';
import { dayOf } from '../../platform/time/date-time.ts';
import type { Platform } from '../../platform/platform.ts';
import type { CertificateSnapshot } from '../applications/index.ts';
import type { DocumentType } from '../catalog/index.ts';
import type { FileMime } from '../files/index.ts';
import { type CertificateFacts, readCertificate } from './read-certificate.ts';
import { stateOn } from './validity.ts';

/** A scan that the licence's owner shows to readers of the QR. */
interface SharedDocument {
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

/** Whether the scans may be opened now: a valid international licence with its owner's consent (VER-6). */
function canOpenDocuments(certificate: CertificateFacts): boolean {
  return (
    certificate.kind === 'international_licence' &&
    certificate.sharingEnabled &&
    stateOn(certificate.validity, dayOf(certificate.now)) === 'valid'
  );
}

/**
 * Reads the documents behind a licence, in the order in which they were added. Checks validity and consent at every call (VER-6).
 * @returns null for an unknown token and for documents that are not shown; the client cannot tell the difference
 */
export async function readSharedLicence(platform: Pick<Platform, 'orm' | 'clock'>, token: string): Promise<SharedLicence | null> {
  const certificate = await readCertificate(platform, token);
  if (!certificate || !canOpenDocuments(certificate)) return null;
  const rows = await query(platform, (db) =>
    db
      .selectFrom('certificates as c')
      .innerJoin('applications as a', 'a.id', 'c.applicationId')
      .innerJoin('application_documents as ad', 'ad.applicationId', 'a.id')
      .innerJoin('documents as d', 'd.id', 'ad.documentId')
      .innerJoin('files as f', 'f.id', 'd.fileId')
      .select(['c.snapshot', 'd.type', 'd.issuedAt', 'd.expiresAt', 'f.storageKey', 'f.size', 'f.sha256', 'f.mime'])
      .where('c.token', '=', token)
      .where('a.status', '=', 'approved')
      .where('a.resubmissionDueSince', 'is', null)
      .where('a.sharingEnabled', '=', true)
      .where('d.status', '=', 'approved')
      .where('f.deletedAt', 'is', null)
      .orderBy('d.id')
      .execute(),
  );
  const [first] = rows;
  if (!first) return null;
  const documents = rows.map(({ type, issuedAt, expiresAt, storageKey, size, sha256, mime }): SharedDocument => ({
    type,
    issuedAt,
    expiresAt,
    file: { key: storageKey, size, sha256, mime },
  }));
  return { certificate, snapshot: first.snapshot, documents };
}
