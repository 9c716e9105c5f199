import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DomainError } from '../../errors.ts';
import { networkOf } from '../../http/request/client-address.ts';
import { maxUploadBytes, type UploadedFile } from '../../http/request/read-upload.ts';
import { safeFileName } from '../../http/response/send-file.ts';
import { commit } from '../../platform/commands/command.ts';
import { type Caller, type CommandContext, unrecorded } from '../../platform/commands/context.ts';
import { errorName } from '../../platform/logging/error-code.ts';
import type { Accepted, Inspection } from '../../platform/inspector/inspection.ts';
import { InspectionBudgetError, type InspectionJob, TooManyWaitingError } from '../../platform/inspector/inspector.ts';
import type { Platform } from '../../platform/platform.ts';
import { audit } from '../audit/index.ts';
import { newStorageKey } from './keep-made-file.ts';
import { purgeFile, uploadLifetimeMs } from './purge-deleted-files.ts';
import { findPhotoProblem } from './queries.ts';
import { reserveFile } from './quota.ts';

/** Upper bound of one examination; after it the next file of the same account starts. */
const secondsOfATurn = 5;

/**
 * Examines a file in a separate process, in its owner's turn, and charges the time to account and address (FIL-2).
 * @throws {DomainError} what `waitingForInspection` refuses
 * @throws the reason of the job's `signal`, when it is aborted
 */
export function examineFile({ inspector }: Pick<Platform, 'inspector'>, job: InspectionJob): Promise<Inspection> {
  return waitingForInspection(() => inspector.inspect(job));
}

/**
 * Waits for the inspector, for a file of any kind.
 * @throws {DomainError} rate_limited while too many files of this account wait, or after it has used its inspection time;
 * service_unavailable
 */
export async function waitingForInspection<Result>(inspect: () => Promise<Result>): Promise<Result> {
  try {
    return await inspect();
  } catch (error) {
    if (errorName(error) === 'InspectorUnavailableError')
      throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
    if (error instanceof TooManyWaitingError)
      throw new DomainError(
        'rate_limited',
        { retry_after_seconds: secondsOfATurn, waiting: error.limit },
        'Too many files of this account wait for their examination. Send the file again later.',
      );
    if (error instanceof InspectionBudgetError)
      throw new DomainError(
        'rate_limited',
        { retry_after_seconds: Math.max(1, Math.ceil(error.restMs / 1000)) },
        'The examination of your files took too long in the last ten minutes. Send the file again later.',
      );
    throw error;
  }
}

/**
 * Makes a reserved file visible after its bytes are stored (FIL-6).
 * @throws {DomainError} service_unavailable when the upload took so long that the sweeper may already be removing the file
 */
export async function publishFile(ctx: CommandContext, fileId: string): Promise<void> {
  const file = await ctx.db
    .updateTable('files')
    .set({ deletedAt: null })
    .where('id', '=', fileId)
    .where('purgedAt', 'is', null)
    .where('deletedAt', '>', new Date(ctx.now.getTime() - uploadLifetimeMs))
    .returning(['sha256', 'purpose', 'size'])
    .executeTakeFirst();
  if (!file) throw new DomainError('service_unavailable', undefined, 'The upload took too long. Send the file again.');
  await audit(ctx, 'file.uploaded', { kind: 'file', id: fileId }, file);
}

export interface Upload {
  ownerId: number;
  purpose: string;
  file: UploadedFile;
  /** Aborted when the client disconnects. */
  signal: AbortSignal;
}

/**
 * Examines (FIL-1, FIL-2), scans (FIL-8), stores and publishes an upload.
 *
 * The row is written before the bytes, marked as deleted, and published once they are stored. A crash therefore leaves no
 * bytes without a row, and the sweeper of deleted files removes them.
 * @returns the file's id
 * @throws {DomainError} file_rejected with the reason; rate_limited as `examineFile`; quota_exceeded; service_unavailable
 * @throws the reason of `signal`, when it is aborted before the file is stored
 */
export async function uploadFile(platform: Platform, caller: Caller, upload: Upload): Promise<string> {
  const id = randomUUID();
  if (caller.idempotency?.isInEffect === true) return publish(platform, caller, id);
  const outPath = `${upload.file.path}-examined`;
  try {
    const accepted = await examine(platform, caller, upload, outPath);
    await scan(platform, caller, upload);
    return await store(platform, caller, { ...upload, id }, accepted);
  } finally {
    await rm(outPath, { force: true });
  }
}

async function examine(
  platform: Platform,
  caller: Caller,
  { ownerId: owner, purpose, file, signal }: Upload,
  outPath: string,
): Promise<Accepted> {
  const network = networkOf(caller.ip);
  const inspection = await examineFile(platform, { path: file.path, outPath, owner, network, signal });
  if (!inspection.ok) throw new DomainError('file_rejected', { reason: inspection.code, found: inspection.found }, inspection.message);
  // An image within the limit may grow when it is re-encoded.
  if (inspection.size > maxUploadBytes)
    throw new DomainError('file_rejected', { reason: 'image_too_large' }, 'The image is too large after the removal of its metadata.');
  const problem = purpose === 'photo' && inspection.width !== undefined ? findPhotoProblem(inspection) : null;
  if (problem !== null) throw new DomainError('file_rejected', { reason: 'photo_too_small' }, `This is too small: ${problem}.`);
  return inspection;
}

/** Scans the original bytes (FIL-8), so that a virus hidden in an image is found before re-encoding removes it. */
async function scan({ scanner, log }: Platform, { requestId }: Caller, { ownerId, file, signal }: Upload): Promise<void> {
  const verdict = await scanner?.scan(file.path, signal).catch((error: unknown) => {
    if (errorName(error) === 'ScannerUnavailableError')
      throw new DomainError('service_unavailable', undefined, 'The virus scanner is unavailable. Send the file again later.', {
        cause: error,
      });
    throw error;
  });
  if (!verdict?.isInfected) return;
  log.warn({ request_id: requestId, user_id: ownerId, signature: verdict.signature }, 'an infected file was refused');
  throw new DomainError('file_rejected', { reason: 'infected' }, 'The file contains a virus and was not stored.');
}

async function store(platform: Platform, caller: Caller, upload: Upload & { id: string }, accepted: Accepted): Promise<string> {
  const { id } = upload;
  const storageKey = newStorageKey();
  const facts = {
    id,
    storageKey,
    ownerId: upload.ownerId,
    purpose: upload.purpose,
    name: safeFileName(upload.file.originalName, accepted.mime),
    mime: accepted.mime,
    size: accepted.size,
    sha256: accepted.sha256,
    width: accepted.width ?? null,
    height: accepted.height ?? null,
    pages: accepted.pages ?? null,
  };
  // Not recorded under the idempotency key: a repeat of a request that was interrupted here starts over.
  await commit(platform, unrecorded(caller), (ctx) => reserveFile(ctx, facts, platform.config));
  try {
    await platform.storage.put(storageKey, createReadStream(accepted.path), { contentType: accepted.mime, size: accepted.size });
  } catch (error) {
    await purgeFile(platform, id);
    throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
  }
  let published: string | null = null;
  try {
    published = await publish(platform, caller, id);
  } finally {
    if (published !== id) await purgeFile(platform, id);
  }
  return published;
}

/** @returns the id of the published file; another id when the same request published its file before */
function publish(platform: Platform, caller: Caller, id: string): Promise<string> {
  return commit(platform, caller, async (ctx) => {
    await publishFile(ctx, id);
    return id;
  });
}
