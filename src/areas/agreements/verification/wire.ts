import { z } from 'zod';
import type { FileDigest } from '../../../http/request/read-upload.ts';
import { dateTimeResponse } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/date-time.ts';
import { contractStatuses } from '../contracts/states.ts';
import { type AgreementFacts, documentOf, isInForce } from './verification.ts';

const token = z.string().meta({ description: 'From the QR: 43 characters', examples: ['vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6'] });
export const agreementTokenParams = z.strictObject({ token });
/** The text field of the multipart body; the file itself goes into the field `file`. */
export const verifyFileFields = z.strictObject({ token });

const sha256 = z.string().meta({ description: 'Hexadecimal' });
const number = z.string().meta({ examples: ['A-2026-00001'] });
const status = z.enum(contractStatuses).meta({ description: 'Only `confirmed` is in force' });
const valid = z.boolean().meta({ description: 'Whether the agreement is in force; the only indicator of it' });

export const agreementVerificationResponse = z
  .object({
    status,
    valid,
    number,
    version: z.int().meta({ description: '1 for the first agreement about the competition, one more with each replacement' }),
    signer: z.object({ name: z.string(), position: z.string() }).meta({ description: 'Who signed for the federation' }),
    signed_at: dateTimeResponse,
    original_sha256: sha256.nullable().meta({ description: 'Of the generated PDF, hexadecimal; null while it is being made' }),
    scan_sha256: sha256.nullable().meta({ description: 'Of the signed scan that was sent last, hexadecimal' }),
    replaced_by: number.optional().meta({ description: 'Number of the version that took its place' }),
    checked_at: dateTimeResponse,
  })
  .meta({ id: 'AgreementVerification' });

export const fileComparisonResponse = z
  .object({
    match: z.boolean().meta({ description: 'Whether the file is one of the documents of this agreement, byte for byte' }),
    document: z.enum(['original', 'scan']).nullable().meta({ description: 'Which: the generated PDF, or the signed scan' }),
    sha256: sha256.meta({ description: 'Of the file that was sent, hexadecimal' }),
    number,
    status,
    valid,
  })
  .meta({ id: 'AgreementFileComparison' });

export type AgreementVerification = z.input<typeof agreementVerificationResponse>;
export type FileComparison = z.input<typeof fileComparisonResponse>;

/** Presents the public facts, field by field, so that no other field becomes public (AGR-15). */
export function presentAgreement(facts: AgreementFacts): AgreementVerification {
  return {
    status: facts.status,
    valid: isInForce(facts),
    number: facts.number,
    version: facts.version,
    signer: { name: facts.signer.name, position: facts.signer.position },
    signed_at: formatDateTime(facts.signedAt),
    original_sha256: facts.originalSha256,
    scan_sha256: facts.scan?.sha256 ?? null,
    ...(facts.replacedByNumber === null ? {} : { replaced_by: facts.replacedByNumber }),
    checked_at: formatDateTime(facts.now),
  };
}

/** Presents the result of a file check (AGR-10). */
export function presentComparison(facts: AgreementFacts, { sha256 }: FileDigest): FileComparison {
  const document = documentOf(facts, { sha256 });
  return { match: document !== null, document, sha256, number: facts.number, status: facts.status, valid: isInForce(facts) };
}
