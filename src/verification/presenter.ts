import type { z } from 'zod';
import { dayOf, formatDateTime } from '../platform/date-time.ts';
import type { CertificateFacts } from './read-certificate.ts';
import type { sharedDocumentsResponse, verificationResponse } from './schemas.ts';
import type { SharedLicence } from './shared-documents.ts';
import { stateOn } from './validity.ts';

export type Verification = z.output<typeof verificationResponse>;

/** The public answer: field by field, so that nothing else can slip out. @param on the day to answer for; the present one by default */
export function presentVerification(certificate: CertificateFacts, on: string = dayOf(certificate.now)): Verification {
  const state = stateOn(certificate.validity, on);
  return {
    valid: state === 'valid',
    state,
    kind: certificate.kind,
    number: certificate.number,
    valid_from: certificate.validity.validFrom,
    valid_until: certificate.validity.validUntil,
    documents_access: certificate.kind === 'international_licence' && certificate.sharingEnabled,
    checked_at: formatDateTime(certificate.now),
  };
}

/** What the owner of a licence lets be seen: no identification number, no phone, no address, no id of ours. */
export function presentSharedLicence(
  { certificate, snapshot, documents }: SharedLicence,
  urlOf: (position: number) => string,
): z.output<typeof sharedDocumentsResponse> {
  return {
    number: certificate.number,
    holder_name: snapshot.holderName,
    category: snapshot.serviceCategory,
    service: snapshot.serviceTitle,
    discipline: snapshot.disciplineTitle,
    valid_from: certificate.validity.validFrom,
    valid_until: certificate.validity.validUntil,
    checked_at: formatDateTime(certificate.now),
    documents: documents.map((document, index) => ({
      type: document.type,
      issued_at: document.issuedAt,
      expires_at: document.expiresAt,
      content_type: document.file.mime,
      url: urlOf(index + 1),
    })),
  };
}
