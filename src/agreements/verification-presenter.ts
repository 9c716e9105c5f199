import type { z } from 'zod';
import type { FileDigest } from '../http/read-upload.ts';
import { formatDateTime } from '../platform/date-time.ts';
import { documentOf, isInForce } from './verification.ts';
import type { AgreementFacts } from './verification.ts';
import type { agreementVerificationResponse, fileComparisonResponse } from './verification-schemas.ts';

export type AgreementVerification = z.input<typeof agreementVerificationResponse>;
export type FileComparison = z.input<typeof fileComparisonResponse>;

/** The public answer: field by field, so that nothing else can slip out. */
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

/** What a file is to an agreement. */
export function presentComparison(facts: AgreementFacts, { sha256 }: FileDigest): FileComparison {
  const document = documentOf(facts, { sha256 });
  return { match: document !== null, document, sha256, number: facts.number, status: facts.status, valid: isInForce(facts) };
}
