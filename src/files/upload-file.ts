import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { DomainError } from '../errors.ts';
import { maxUploadBytes } from '../http/parse-body.ts';
import type { UploadedFile } from '../http/parse-body.ts';
import { safeFileName } from '../http/send-file.ts';
import { runCommand } from '../platform/command.ts';
import type { Caller } from '../platform/context.ts';
import { errorName } from '../platform/error-code.ts';
import type { Platform } from '../platform/platform.ts';
import type { Accepted } from './inspector/inspection.ts';
import { publishFile } from './publish-file.ts';
import { purgeFile } from './purge-deleted-files.ts';
import { reserveFile } from './reserve-file.ts';

export interface Upload {
  ownerId: number;
  purpose: string;
  file: UploadedFile;
}

/**
 * Takes an upload in: examined, then stored, then shown (service.md "File"). The row is written before the bytes, as one that
 * is deleted already, and brought to life when they lie in storage. So a crash at any point leaves no bytes that no row knows
 * of: the sweep of deleted files clears them like any other.
 * @returns the file's id
 * @throws {DomainError} file_rejected with the reason; service_unavailable
 */
export async function uploadFile(platform: Platform, caller: Caller, upload: Upload): Promise<string> {
  const outPath = `${upload.file.path}-examined`;
  try {
    const accepted = await examine(platform, upload.file.path, outPath);
    return await store(platform, caller, upload, accepted);
  } finally {
    await rm(outPath, { force: true });
  }
}

async function examine(platform: Platform, path: string, outPath: string): Promise<Accepted> {
  const inspection = await platform.inspector.inspect({ path, outPath }).catch((error: unknown) => {
    if (errorName(error) === 'InspectorUnavailableError')
      throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
    throw error;
  });
  if (!inspection.ok) throw new DomainError('file_rejected', { reason: inspection.code }, inspection.message);
  // An image that was sent within the limit may grow when it is written anew.
  if (inspection.size > maxUploadBytes)
    throw new DomainError('file_rejected', { reason: 'image_too_large' }, 'The image is too large when it is stored without its metadata.');
  return inspection;
}

async function store(platform: Platform, caller: Caller, upload: Upload, accepted: Accepted): Promise<string> {
  const id = randomUUID();
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
  await runCommand(platform, caller, (ctx) => reserveFile(ctx, facts));
  try {
    await platform.storage.put(storageKey, createReadStream(accepted.path), { contentType: accepted.mime, size: accepted.size });
  } catch (error) {
    await purgeFile(platform, id);
    throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
  }
  try {
    await runCommand(platform, caller, (ctx) => publishFile(ctx, id));
  } catch (error) {
    await purgeFile(platform, id);
    throw error;
  }
  return id;
}

/** Spread over folders, so that none grows without bound; tells nothing of the file or its owner. */
function newStorageKey(): string {
  const name = randomUUID();
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}
