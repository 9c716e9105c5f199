import { z } from 'zod';
import { dateTimeResponse, sha256Response } from '../../../http/schemas.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';
import { withoutPunctuation } from '../../../platform/text.ts';
import type { ContractRecord } from '../contracts/queries.ts';
import { contractStatuses, isInForce } from '../contracts/states.ts';

const token = z
  .string()
  .overwrite(withoutPunctuation)
  .meta({
    description: 'From the QR: 43 characters; punctuation that a mail program adds is ignored',
    examples: ['vJ0t6tYgkVt1m0lqkq0wPZ1q0gq1m7m7y6oJ3b4c5d6'],
  });
export const agreementTokenParams = z.strictObject({ token });
/** The text field of the multipart body; the file itself goes into the field `file`. */
export const verifyFileFields = z.strictObject({ token });

const number = z.string().meta({ description: 'Number of the agreement', examples: ['A-2026-00001'] });
const status = z.enum(contractStatuses).describe('Only `confirmed` is in force');
const valid = z.boolean().describe('Whether the agreement is in force; use no other field for this');

export const agreementVerificationResponse = z
  .object({
    status,
    valid,
    number,
    version: z.int().describe('1 for the first agreement about the competition; each replacement adds 1'),
    signer: z.object({ name: z.string(), position: z.string().describe('Job title') }).describe('Who signed for the federation'),
    signed_at: dateTimeResponse,
    original_sha256: sha256Response.nullable().describe('Of the generated PDF, hexadecimal; null until it is generated'),
    scan_sha256: sha256Response.nullable().describe('Of the latest signed scan, hexadecimal'),
    replaced_by: number.optional().describe('Number of the version that replaced it'),
    checked_at: dateTimeResponse,
  })
  .meta({ id: 'AgreementVerification' });

export const fileComparisonResponse = z
  .object({
    match: z.boolean().describe('Whether the file equals a document of this agreement byte for byte'),
    document: z.enum(['original', 'scan']).nullable().describe('The matching document: the generated PDF, or the signed scan'),
    sha256: sha256Response.describe('Of the sent file, hexadecimal'),
    number,
    status,
    valid,
  })
  .meta({ id: 'AgreementFileComparison' });

export type AgreementVerification = z.input<typeof agreementVerificationResponse>;
export type FileComparison = z.input<typeof fileComparisonResponse>;

/** Presents the public facts, field by field, so that no other field becomes public: neither organizer, text nor reasons (AGR-15). */
export function presentAgreement({ contract, replacedByNumber }: ContractRecord, now: Date): AgreementVerification {
  const { snapshot } = contract;
  return {
    status: contract.status,
    valid: isInForce(contract),
    number: contract.number,
    version: contract.version,
    signer: { name: snapshot.signerName, position: snapshot.signerPosition },
    signed_at: formatDateTime(contract.signedAt),
    original_sha256: contract.originalSha256,
    scan_sha256: contract.scanSha256,
    ...(replacedByNumber === null ? {} : { replaced_by: replacedByNumber }),
    checked_at: formatDateTime(now),
  };
}

/** Compares the hash of a file with those of the original and the scan, and presents the result (AGR-10). */
export function presentComparison({ contract }: ContractRecord, sha256: string): FileComparison {
  const { number, status, originalSha256, scanSha256 } = contract;
  const document = sha256 === scanSha256 ? 'scan' : sha256 === originalSha256 ? 'original' : null;
  return { match: document !== null, document, sha256, number, status, valid: isInForce(contract) };
}
