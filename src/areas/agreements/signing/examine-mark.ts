import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { DomainError, fieldProblem } from '../../../errors.ts';
import { networkOf } from '../../../http/request/client-address.ts';
import { query } from '../../../platform/command.ts';
import { accountableUserId, type Caller } from '../../../platform/context.ts';
import type { Inspection } from '../../../platform/inspector/inspection.ts';
import type { Platform } from '../../../platform/platform.ts';
import { examineFile } from '../../files/index.ts';
import { fieldOfMark, type Mark, type MarkFile, requireMarkFile } from './marks.ts';

/** Least share of fully transparent pixels, so that the text below a mark stays readable (AGR-8). */
const leastTransparentShare = 0.05;

type ExaminePlatform = Pick<Platform, 'orm' | 'clock' | 'storage' | 'inspector'>;

/**
 * Checks an image for use as a mark (AGR-8): its row, then its pixels. Runs before the transaction, since a separate process decodes it.
 * @param signal aborted when the client disconnects
 * @throws {DomainError} validation_failed at the field of the mark; rate_limited; service_unavailable
 */
export async function examineMark(
  platform: ExaminePlatform,
  caller: Caller,
  { mark, fileId, signal }: { mark: Mark; fileId: string; signal?: AbortSignal },
): Promise<void> {
  const file = await query(platform, (db) => requireMarkFile(db, mark, fileId, accountableUserId(caller.actor)));
  if (file.wasUsed) return;
  const inspection = await inspectStored(platform, caller, file, signal);
  const path = `body.${fieldOfMark[mark]}`;
  if (!inspection.ok) throw fieldProblem(path, inspection.code, inspection.message);
  const share = inspection.transparentShare ?? 0;
  if (share < leastTransparentShare)
    throw fieldProblem(
      path,
      'not_transparent',
      `the image must be transparent: an alpha channel with at least ${leastTransparentShare * 100} % fully transparent pixels; it has ${Math.floor(share * 1000) / 10} %`,
    );
}

async function inspectStored(
  platform: ExaminePlatform,
  caller: Caller,
  file: MarkFile,
  signal: AbortSignal | undefined,
): Promise<Inspection> {
  const path = join(tmpdir(), `registry-mark-${randomUUID()}`);
  const outPath = `${path}-examined`;
  try {
    await fetchTo(platform, file.storageKey, path);
    return await examineFile(platform, {
      path,
      outPath,
      measuresTransparency: true,
      owner: file.ownerId,
      network: networkOf(caller.ip),
      ...(signal && { signal }),
    });
  } finally {
    await Promise.all([path, outPath].map((each) => rm(each, { force: true })));
  }
}

async function fetchTo({ storage }: Pick<Platform, 'storage'>, key: string, path: string): Promise<void> {
  try {
    await pipeline(await storage.get(key), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  } catch (error) {
    throw new DomainError('service_unavailable', undefined, undefined, { cause: error });
  }
}
