import { z } from 'zod';
import {
  dateTimeResponse,
  id,
  idParam,
  note,
  paging,
  printableLines,
  printedWords,
  processResponse,
  readVersion,
  reasonInput,
  sha256Response,
  versionResponse,
} from '../../../http/schemas.ts';
import { formatDateTime, formatVersion } from '../../../platform/time/date-time.ts';
import type { ContractRecord } from './queries.ts';
import { contractStatuses } from './states.ts';

const templateId = id.optional().describe('An active template (GET /contract-templates); the default template if absent');
/** Paragraphs that the organizer adds to the template. */
const notes = printableLines(3000).describe(`Paragraphs below the text of the agreement. ${printedWords}`);
const data = z.strictObject({ notes: notes.optional() }).prefault({});
const reason = note.describe('Sent to the other side, 5-3000 characters');

export const createContractBody = z.strictObject({ event_id: id, template_id: templateId, data }).meta({ id: 'NewContract' });
export const replaceContractBody = z.strictObject({ reason, template_id: templateId, data }).meta({ id: 'ContractReplacement' });
export const cancelContractBody = z.strictObject({ reason }).meta({ id: 'ContractCancellation' });
export const reviewContractBody = z
  .discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('confirm'), updated_at: readVersion.optional() }),
    z.strictObject({ decision: z.literal('reject'), reason, updated_at: readVersion.optional() }),
  ])
  .meta({ id: 'ContractDecision' });

/** Private texts of a replacement, kept out of workflow histories. */
export const replacementInput = reasonInput.extend({ notes: z.string().nullable() });

export const contractListQuery = z.strictObject({
  ...paging,
  event_id: idParam.optional(),
  status: z.enum(contractStatuses).optional(),
});

const number = z.string().meta({ description: 'Number of the agreement', examples: ['A-2026-00001'] });
const version = z.int().describe('1 for the first agreement about the event; each replacement adds 1');

/** An agreement for its organizer and administrators (AGR-16). */
export const contractResponse = z
  .object({
    id,
    event_id: id,
    number,
    version,
    workflow_version: z.literal(3).describe('As in the event'),
    status: z.enum(contractStatuses).describe('Only `confirmed` is in force'),
    template_id: id,
    signer: z.object({ name: z.string(), position: z.string().describe('Job title') }).describe('Who signed for the federation'),
    signed_at: dateTimeResponse.describe('When the federation signed: when the agreement was created'),
    pages: z.int().nullable().describe('Of the generated PDF; null until it is generated'),
    original_sha256: sha256Response.nullable().describe('Of the generated PDF, hexadecimal; null until it is generated'),
    scan_sha256: sha256Response.nullable().describe('Of the latest signed scan, hexadecimal'),
    scan: z
      .object({
        file_id: z.uuid().nullable(),
        pages: z.int().nullable().describe('Of the scan'),
        size: z.int().nullable().describe('Bytes'),
        uploaded_at: dateTimeResponse.nullable(),
      })
      .nullable()
      .describe('The latest signed scan; its organizer and administrators open it with GET /files/{uuid}'),
    verification_token: z.string().describe('For GET /contracts/verify/{token}'),
    verification_url: z.string().describe('Content of the QR'),
    reason: z.string().nullable().describe('Reason of the rejection, replacement or cancellation'),
    notes: z.string().nullable().describe('Value of `data.notes`'),
    replaces_id: id.nullable().describe('Id of the agreement that it replaced'),
    previous: z.object({ id, number, version }).nullable().describe('The agreement that it replaced; null without one'),
    replaced_by_id: id.nullable().describe('Id of the agreement that replaced it'),
    decided_at: dateTimeResponse.nullable(),
    created_at: dateTimeResponse,
    updated_at: versionResponse,
    process: processResponse.optional().describe('State of the process; for administrators only'),
  })
  .meta({ id: 'Contract' });

/** Presents an agreement to its organizer and administrators. @param siteUrl public address, for the QR of an agreement without a PDF */
export function presentContract(
  { contract, previous, scanFileId }: ContractRecord,
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
        : { file_id: scanFileId, pages: contract.scanPages, size: contract.scanSize, uploaded_at: formatDateTime(contract.scanUploadedAt) },
    verification_token: contract.token,
    // As in the printed QR, also after the address of the service has changed.
    verification_url: snapshot.verificationUrl ?? agreementUrl(siteUrl, contract.token),
    reason: contract.reason,
    notes: snapshot.notes,
    replaces_id: contract.replacesId,
    previous,
    replaced_by_id: contract.replacedById,
    decided_at: formatDateTime(contract.decidedAt),
    created_at: formatDateTime(contract.createdAt),
    updated_at: formatVersion(contract.updatedAt),
  };
}

/** Builds the address in the QR: the public page of the agreement. */
export function agreementUrl(siteUrl: string, token: string): string {
  return `${siteUrl}/a/${token}`;
}
