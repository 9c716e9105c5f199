import type { z } from 'zod';
import { formatDateTime, formatVersion } from '../platform/date-time.ts';
import type { ContractRecord } from './queries.ts';
import type { contractResponse } from './schemas.ts';

/** An agreement for its organizer and for administrators. @param siteUrl of the service, for the address in the QR */
export function presentContract(
  { contract, scanFileId }: ContractRecord,
  siteUrl: string,
): Omit<z.input<typeof contractResponse>, 'process'> {
  const { snapshot, scanSha256 } = contract;
  return {
    id: contract.id,
    event_id: contract.eventId,
    number: contract.number,
    version: contract.version,
    workflow_version: 3,
    status: contract.status,
    template_id: contract.templateId,
    signer: { name: snapshot.signerName, position: snapshot.signerPosition },
    signed_at: formatDateTime(contract.signedAt),
    pages: contract.pages,
    original_sha256: contract.originalSha256,
    scan_sha256: scanSha256,
    scan:
      scanSha256 === null
        ? null
        : { file_id: scanFileId, pages: contract.scanPages, size: contract.scanSize, uploaded_at: at(contract.scanUploadedAt) },
    verification_token: contract.token,
    // As the QR holds it, whatever the address of the service is by now.
    verification_url: snapshot.verificationUrl ?? agreementUrl(siteUrl, contract.token),
    reason: contract.reason,
    notes: snapshot.notes,
    replaces_id: contract.replacesId,
    replaced_by_id: contract.replacedById,
    decided_at: at(contract.decidedAt),
    created_at: formatDateTime(contract.createdAt),
    updated_at: formatVersion(contract.updatedAt),
  };
}

/** What the QR of an agreement holds: its page for people (decisions.md §7). */
export function agreementUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/a/${token}`;
}

function at(instant: Date | null): string | null {
  return instant && formatDateTime(instant);
}
