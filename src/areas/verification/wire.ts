import { z } from 'zod';
import { documentType } from '../documents/index.ts';
import { dateTimeResponse, day, dayResponse, localizedText } from '../../http/schemas.ts';
import { dayOf, formatDateTime } from '../../platform/time/date-time.ts';
import { withoutPunctuation } from '../../platform/text.ts';
import { serviceCategory, serviceKind } from '../catalog/index.ts';
import { fileMimes } from '../files/index.ts';
import type { CertificateFacts } from './read-certificate.ts';
import type { SharedLicence } from './shared-documents.ts';
import { stateOn, verificationStates } from './validity.ts';

export const tokenParams = z.strictObject({
  token: z
    .string()
    .overwrite(withoutPunctuation)
    .meta({
      description: 'From the QR: 43 characters; punctuation that a mail program adds is ignored',
      examples: ['vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6'],
    }),
});
export const verificationQuery = z.strictObject({
  on: day.optional().meta({ description: 'Day to verify for, in UTC+5; default: now', format: 'date' }),
});

const certificateNumber = z.string().describe('Number of the certificate');

export const verificationResponse = z
  .object({
    valid: z.boolean().describe('The only indicator of validity'),
    state: z
      .enum(verificationStates)
      .describe(
        'The reason. Only `valid` is in force. `under_correction`: a record behind the certificate was returned or has expired, or replaced documents are not submitted yet',
      ),
    kind: serviceKind,
    number: certificateNumber,
    valid_from: dayResponse,
    valid_until: dayResponse,
    documents_access: z.boolean().describe('Whether the owner of an international licence shares its documents'),
    checked_at: dateTimeResponse,
  })
  .meta({ id: 'Verification' });

export const sharedDocumentsResponse = z
  .object({
    number: certificateNumber,
    holder_name: z.string().describe('Name printed on the licence'),
    category: serviceCategory,
    service: localizedText,
    discipline: localizedText.nullable(),
    valid_from: dayResponse,
    valid_until: dayResponse,
    checked_at: dateTimeResponse,
    documents: z.array(
      z.object({
        type: documentType,
        issued_at: dayResponse.nullable(),
        expires_at: dayResponse.nullable(),
        content_type: z.enum(fileMimes).describe('Media type of the file'),
        url: z.string().meta({ format: 'uri', description: 'Validity and consent are checked at every request' }),
      }),
    ),
  })
  .meta({ id: 'SharedDocuments' });

export const sharedFileParams = tokenParams.extend({
  n: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, 'must be a position, from 1')
    .transform(Number)
    .meta({ wire: { type: 'integer', minimum: 1, maximum: 999, description: 'Position in the list of documents', examples: [1] } }),
});

export type Verification = z.output<typeof verificationResponse>;

/** Builds the public answer field by field, so that no other data leaks (VER-3). @param on day to answer for; by default the present one */
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

/** Builds the answer for a shared licence (VER-6), without identification number, phone, address and internal ids. */
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
