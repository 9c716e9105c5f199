import { isDomainError } from '../../../errors.ts';
import type { UploadedFile } from '../../../http/request/read-upload.ts';
import { commit, query } from '../../../platform/commands/command.ts';
import { type Caller, unrecorded } from '../../../platform/commands/context.ts';
import { causeOf } from '../../../platform/logging/log.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sendCommand } from '../../../platform/workflows/send-command.ts';
import { requireNotOver } from '../../competitions/index.ts';
import { deleteFile, findFile, purgeFile, uploadFile } from '../../files/index.ts';
import { agreementProcess } from './process.ts';
import { type ContractRecord, findContract } from './queries.ts';
import { requireSignedCopy, scanPurpose } from './scan-contract.ts';
import { requireTransition } from './states.ts';

export interface SentScan {
  file: UploadedFile;
  caller: Caller;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Uploads a signed scan and sends it to the agreement's process.
 *
 * It is a normal upload of the organizer: examined, scanned for viruses, counted against their quota, and recorded before its bytes are
 * stored, so a crash leaves no unknown object. A refused scan and the copy of a repeated request are deleted.
 * @throws {DomainError} event_over, file_rejected `{reason}`, invalid_state, quota_exceeded, workflow_unavailable, idempotency_key_conflict
 */
export async function sendScan(
  platform: Platform,
  { contract, eventStatus }: ContractRecord,
  { file, caller, signal }: SentScan,
): Promise<void> {
  // A scan that would be refused is not stored.
  const isSent = caller.idempotency?.isInEffect === true;
  if (!isSent) {
    requireNotOver({ status: eventStatus });
    requireTransition(contract, 'scan');
  }
  const { id, ownerId } = contract;
  // The copy that a repeat uploads is deleted.
  const uploader = unrecorded(caller);
  const fileId = await uploadFile(platform, uploader, { ownerId, purpose: scanPurpose, file, signal });
  try {
    const stored = await query(platform, (db) => findFile(db, fileId));
    if (!stored) throw new Error(`file ${fileId} was not found after its own upload`);
    // The process checks this too; an early refusal saves the command.
    if (!isSent) requireSignedCopy(contract, stored);
    const args = { sha256: stored.sha256 };
    await sendCommand(platform, agreementProcess, id, 'scan', { caller, args });
  } finally {
    await deleteUnused(platform, uploader, { contractId: id, fileId, ownerId });
  }
}

/** Deletes the upload unless the agreement uses it. If that fails, it stays an unused file that the organizer may delete. */
async function deleteUnused(
  platform: Platform,
  caller: Caller,
  { contractId, fileId, ownerId }: { contractId: number; fileId: string; ownerId: number },
): Promise<void> {
  try {
    if ((await query(platform, (db) => findContract(db, contractId)))?.scanFileId === fileId) return;
    await commit(platform, caller, (ctx) => deleteFile(ctx, { fileId, ownerId }));
    await purgeFile(platform, fileId);
  } catch (error) {
    if (isDomainError(error) && error.code === 'file_in_use') return;
    platform.log.warn(
      { file_id: fileId, cause: causeOf(error) },
      'Cannot delete a scan that no agreement uses; the organizer may delete it',
    );
  }
}
