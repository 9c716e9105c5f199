import type { ScanContractArgs } from '../../../../workflows/contracts/agreement.contract.ts';
import { DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { lockEventRow, requireNotOver } from '../../competitions/index.ts';
import { lockOwnFile, type StoredFile } from '../../files/index.ts';
import type { Contract } from '../entities.ts';
import { recordInEvent } from './steps.ts';
import { lockContract, recordOf, type ContractRecord } from './queries.ts';
import { requireContractOwner } from './policy.ts';
import { requireTransition, transition } from './states.ts';

export const scanPurpose = 'agreement';

/**
 * Attaches the signed scan, a PDF among the organizer's files, to the agreement (AGR-4).
 *
 * The hash identifies the scan, so the same scan sent again is the same command. The agreement keeps the file from deletion.
 * @throws {DomainError} not_found, event_over (AGR-7), invalid_state, file_rejected `{reason}`, validation_failed (the file was deleted)
 */
export async function scanContract(ctx: CommandContext, id: number, { sha256 }: ScanContractArgs): Promise<ContractRecord> {
  const contract = await lockContract(ctx, id);
  requireContractOwner(ctx.actor, contract);
  const event = await lockEventRow(ctx, contract.eventId);
  requireNotOver(event);
  requireTransition(contract, 'scan');
  const file = await lockScan(ctx, contract.ownerId, sha256);
  requireSignedCopy(contract, file);
  transition(contract, 'scan', ctx.now);
  contract.scanStorageKey = file.storageKey;
  contract.scanSha256 = file.sha256;
  contract.scanSize = file.size;
  contract.scanPages = file.pages;
  contract.scanUploadedAt = ctx.now;
  contract.decidedAt = null;
  contract.reason = null;
  recordInEvent(ctx, event, contract);
  const facts = { sha256, size: file.size, pages: file.pages, original_sha256: contract.originalSha256 };
  await audit(ctx, 'contract.scan_uploaded', { kind: 'contract', id }, facts);
  return recordOf(ctx, id);
}

/** Locks the organizer's newest scan with this hash against deletion. */
async function lockScan(ctx: CommandContext, ownerId: number, sha256: string): Promise<Readonly<StoredFile>> {
  const found = await ctx.db
    .selectFrom('files')
    .select('id')
    .where('ownerId', '=', ownerId)
    .where('sha256', '=', sha256)
    .where('purpose', '=', scanPurpose)
    .where('deletedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!found) throw fieldProblem('body.file', 'unknown_file', 'was deleted during the request; send it again');
  return lockOwnFile(ctx, found.id, ownerId, undefined, 'body.file');
}

/**
 * Checks that a scan is one PDF with at least the pages of the original and not the original itself (AGR-4).
 * @throws {DomainError} file_rejected `{reason}`; invalid_state while the generated PDF is being made
 */
export function requireSignedCopy(
  { status, pages, originalSha256 }: Pick<Contract, 'status' | 'pages' | 'originalSha256'>,
  file: Pick<StoredFile, 'mime' | 'pages' | 'sha256'>,
): void {
  if (pages === null || originalSha256 === null)
    throw new DomainError('invalid_state', { status, allowed: [] }, 'The PDF of the agreement is not generated yet. Sign that PDF.');
  if (file.mime !== 'application/pdf')
    throw new DomainError('file_rejected', { reason: 'unsupported_type' }, 'The signed agreement must be one PDF.');
  const scanned = file.pages ?? 0;
  if (scanned < pages)
    throw new DomainError(
      'file_rejected',
      { reason: 'too_few_pages', pages: scanned, expected_pages: pages },
      'The scan has fewer pages than the agreement. Scan all pages.',
    );
  if (file.sha256 === originalSha256)
    throw new DomainError('file_rejected', { reason: 'not_signed' }, 'This is the generated agreement. Sign it and send a scan.');
}
