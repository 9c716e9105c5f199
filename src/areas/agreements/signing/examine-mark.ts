import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { checkAll, DomainError, fieldProblem, validationFailed } from '../../../errors.ts';
import { networkOf } from '../../../http/request/client-address.ts';
import { query } from '../../../platform/commands/command.ts';
import { accountableUserId, type Caller } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import type { Inspection } from '../../../platform/inspector/inspection.ts';
import type { Platform } from '../../../platform/platform.ts';
import { examineFile, type FileMime } from '../../files/index.ts';
import type { MarkPlace } from '../entities.ts';
import { findPlaceProblems, type Mark } from './mark-place.ts';

/** The request's field that names the image of a mark. */
const fieldOfMark = { signature: 'signature_file_id', stamp: 'stamp_file_id' } as const satisfies Record<Mark, string>;

const mimes: readonly FileMime[] = ['image/png', 'image/webp'];
/** Largest image, pixels: more than a mark needs at its largest scale, and still quick to draw. */
const maxPixels = 16_000_000;

/**
 * A candidate for the image of a mark. `wasUsed`: a setting has used it as this mark; it was examined then, and files are immutable.
 */
export type MarkFile = NonNullable<Awaited<ReturnType<typeof findMarkFile>>>;

/**
 * Finds the file for a mark: one of the administrator's own files, or one that a setting has already used.
 * @throws {DomainError} validation_failed at the field of the mark
 */
export async function requireMarkFile(db: Database, mark: Mark, fileId: string, actorId: number | null): Promise<MarkFile> {
  const path = `body.${fieldOfMark[mark]}`;
  const file = await findMarkFile(db, mark, fileId);
  if (!file || (file.ownerId !== actorId && !file.wasUsed)) throw fieldProblem(path, 'unknown_file', 'is not a file of yours');
  if (file.purpose !== mark) throw fieldProblem(path, 'wrong_purpose', `must be uploaded with the purpose "${mark}"`);
  if (!mimes.includes(file.mime)) throw fieldProblem(path, 'wrong_file_type', `must be one of ${mimes.join(', ')}`);
  if ((file.width ?? 0) * (file.height ?? 0) > maxPixels)
    throw fieldProblem(path, 'image_too_large', `must have at most ${maxPixels / 1_000_000} million pixels`);
  return file;
}

function findMarkFile(db: Database, mark: Mark, fileId: string) {
  const column = mark === 'signature' ? 's.signatureFileId' : 's.stampFileId';
  return db
    .selectFrom('files as f')
    .select(['f.id', 'f.ownerId', 'f.purpose', 'f.mime', 'f.width', 'f.height', 'f.sha256', 'f.storageKey'])
    .select((eb) =>
      eb
        .exists(eb.selectFrom('federation_signings as s').select('s.id').whereRef(column, '=', 'f.id'))
        .$castTo<boolean>()
        .as('wasUsed'),
    )
    .where('f.id', '=', fileId)
    .where('f.deletedAt', 'is', null)
    .executeTakeFirst();
}

/** Least share of fully transparent pixels, so that the text below a mark stays readable (AGR-8). */
const leastTransparentShare = 0.05;
/** Least share of pixels seen on white paper: a thin signature in a wide image has several times more. */
const leastVisibleShare = 0.001;

type ExaminePlatform = Pick<Platform, 'orm' | 'clock' | 'storage' | 'inspector'>;

/**
 * Checks an image for use as a mark (AGR-8): its row, then its place and its pixels. Runs before the transaction, since a separate process
 * decodes it.
 * @param signal aborted when the client disconnects
 * @throws {DomainError} validation_failed at the field of the mark; rate_limited; service_unavailable
 */
export async function examineMark(
  platform: ExaminePlatform,
  caller: Caller,
  { mark, fileId, place, signal }: { mark: Mark; fileId: string; place: MarkPlace; signal?: AbortSignal },
): Promise<void> {
  const file = await query(platform, (db) => requireMarkFile(db, mark, fileId, accountableUserId(caller.actor)));
  await checkAll(
    () => {
      const problems = findPlaceProblems(mark, place, { width: file.width ?? 1, height: file.height ?? 1 });
      if (problems.length > 0) throw validationFailed(problems);
    },
    () => (file.wasUsed ? undefined : examinePixels(platform, caller, { mark, file, signal })),
  );
}

async function examinePixels(
  platform: ExaminePlatform,
  caller: Caller,
  { mark, file, signal }: { mark: Mark; file: MarkFile; signal: AbortSignal | undefined },
): Promise<void> {
  const inspection = await inspectStored(platform, caller, file, signal);
  const path = `body.${fieldOfMark[mark]}`;
  if (!inspection.ok) throw fieldProblem(path, inspection.code, inspection.message);
  const share = inspection.transparentShare ?? 0;
  if (share < leastTransparentShare)
    throw fieldProblem(
      path,
      'not_transparent',
      `must have an alpha channel with at least ${leastTransparentShare * 100} % fully transparent pixels; it has ${Math.floor(share * 1000) / 10} %`,
    );
  if ((inspection.visibleShare ?? 0) < leastVisibleShare)
    throw fieldProblem(
      path,
      'not_visible',
      `must have at least ${leastVisibleShare * 100} % pixels that differ from white paper by 10 % or more: it is almost white or transparent, and would not be seen`,
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
