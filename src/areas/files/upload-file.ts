import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DomainError } from '../../errors.ts';
import { networkOf } from '../../http/request/client-address.ts';
import { maxUploadBytes, type UploadedFile } from '../../http/request/read-upload.ts';
import { safeFileName } from '../../http/response/send-file.ts';
import { commit } from '../../platform/command.ts';
import { type Caller, type CommandContext, unrecorded } from '../../platform/context.ts';
import { errorName } from '../../platform/error-code.ts';
import type { Accepted } from '../../platform/inspector/inspection.ts';
import type { Platform } from '../../platform/platform.ts';
import { audit } from '../audit/index.ts';
import { examineFile } from './examine-file.ts';
import { newStorageKey } from './keep-made-file.ts';
import { purgeFile, uploadLifetimeMs } from './purge-deleted-files.ts';
import { reserveFile } from './reserve-file.ts';

/**
 * Makes a reserved file visible, its bytes being in storage. One that took so long that the sweep may be clearing it is given up.
 * @throws {DomainError} service_unavailable
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
  if (!file) throw new DomainError('service_unavailable', undefined, 'The upload took too long; send the file again.');
  await audit(ctx, 'file.uploaded', { kind: 'file', id: fileId }, file);
}

export interface Upload {
  ownerId: number;
  purpose: string;
  file: UploadedFile;
  /** Aborted when nobody waits for the answer any more. */
  signal: AbortSignal;
}

/**
 * Takes an upload in: examined, scanned where there is a scanner, then stored, then shown (service.md "File"). The row is written before the bytes, as one that
 * is deleted already, and brought to life when they lie in storage. So a crash at any point leaves no bytes that no row knows
 * of: the sweep of deleted files clears them like any other.
 * @returns the file's id
 * @throws {DomainError} file_rejected with the reason; rate_limited as `examineFile`; quota_exceeded; service_unavailable
 * @throws the reason of `signal`, when it is aborted before the file is stored
 */
export async function uploadFile(platform: Platform, caller: Caller, upload: Upload): Promise<string> {
  const id = randomUUID();
  if (caller.idempotency?.isNextCommitted === true) return publish(platform, caller, id);
  const outPath = `${upload.file.path}-examined`;
  try {
    const accepted = await examine(platform, caller, upload, outPath);
    await scan(platform, caller, upload);
    return await store(platform, caller, { ...upload, id }, accepted);
  } finally {
    await rm(outPath, { force: true });
  }
}

async function examine(platform: Platform, caller: Caller, { ownerId: owner, file, signal }: Upload, outPath: string): Promise<Accepted> {
  const network = networkOf(caller.ip);
  const inspection = await examineFile(platform, { path: file.path, outPath, owner, network, signal });
  if (!inspection.ok) throw new DomainError('file_rejected', { reason: inspection.code }, inspection.message);
  // An image that was sent within the limit may grow when it is written anew.
  if (inspection.size > maxUploadBytes)
    throw new DomainError('file_rejected', { reason: 'image_too_large' }, 'The image is too large when it is stored without its metadata.');
  return inspection;
}

/** The file as it was sent: what hides in an image that is written anew is refused too. Only what may be kept is sent to the scanner. */
async function scan({ scanner, log }: Platform, { requestId }: Caller, { ownerId, file, signal }: Upload): Promise<void> {
  const verdict = await scanner?.scan(file.path, signal).catch((error: unknown) => {
    if (errorName(error) === 'ScannerUnavailableError')
      throw new DomainError('service_unavailable', undefined, 'Files cannot be scanned for viruses now; send it again later.', {
        cause: error,
      });
    throw error;
  });
  if (!verdict?.isInfected) return;
  log.warn({ request_id: requestId, user_id: ownerId, signature: verdict.signature }, 'an infected file was refused');
  throw new DomainError('file_rejected', { reason: 'infected' }, 'A virus was found in the file; it has not been kept.');
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
  // A repeat of a request that was cut off here begins anew.
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

/** @returns the id of the file that appeared: another one where the same request published its file before */
function publish(platform: Platform, caller: Caller, id: string): Promise<string> {
  return commit(platform, caller, async (ctx) => {
    await publishFile(ctx, id);
    return id;
  });
}
