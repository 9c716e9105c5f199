import { DomainError, fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { type Database, type Paging, readPage } from '../../platform/database/database.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { type FileMime, type StoredFile, StoredFileEntity, uploadMimes } from './entities.ts';

/** Finds a file that was not deleted, of any owner. */
export async function findFile(db: Database, id: string): Promise<Readonly<StoredFile> | null> {
  return (await db.selectFrom('files').selectAll().where('id', '=', id).where('deletedAt', 'is', null).executeTakeFirst()) ?? null;
}

/** Lists a page of an account's files, newest first, and counts all of them. Uses files_owner_index. */
export function listFiles(
  db: Database,
  ownerId: number,
  { purpose, ...paging }: Paging & { purpose?: string | undefined },
): Promise<{ rows: Readonly<StoredFile>[]; total: number }> {
  const own = db.selectFrom('files').selectAll().where('ownerId', '=', ownerId).where('deletedAt', 'is', null);
  const matching = purpose === undefined ? own : own.where('purpose', '=', purpose);
  return readPage(matching.orderBy('createdAt', 'desc').orderBy('id', 'desc'), paging);
}

const imageMimes: readonly FileMime[] = ['image/jpeg', 'image/png', 'image/webp'];
/** Least side of a photo in pixels (PRO-8). */
const leastPhotoSide = 200;

/** Returns why an image is no photo of a person (PRO-8); null when it may be one. */
export function findPhotoProblem({ width, height }: { width?: number | null; height?: number | null }): string | null {
  const isLargeEnough = Math.min(width ?? 0, height ?? 0) >= leastPhotoSide;
  return isLargeEnough
    ? null
    : `a photo has at least ${leastPhotoSide} x ${leastPhotoSide} pixels; this one has ${width ?? 0} x ${height ?? 0}`;
}

/**
 * Locks the caller's photo of a profile, as {@link lockOwnFile}.
 * @throws {DomainError} validation_failed at `body.photo_id`: unknown_file, wrong_file_type, photo_too_small
 */
export async function lockOwnPhoto(ctx: CommandContext, fileId: string, ownerId: number): Promise<void> {
  const path = 'body.photo_id';
  const problem = findPhotoProblem(await lockOwnFile(ctx, fileId, ownerId, imageMimes, path));
  if (problem !== null) throw fieldProblem(path, 'photo_too_small', problem);
}

/**
 * Locks the caller's file until the transaction ends, so that it cannot be deleted meanwhile (FIL-5).
 *
 * Every command that attaches a file calls this first. Another account's file gets the same error as a missing one (FIL-4).
 * @param allowedMimes types that fit the use; by default every uploadable type
 * @param path the request's field that names the file
 * @throws {DomainError} validation_failed at `path`
 */
export async function lockOwnFile(
  ctx: CommandContext,
  fileId: string,
  ownerId: number,
  allowedMimes: readonly FileMime[] = uploadMimes,
  path = 'body.file_id',
): Promise<Readonly<StoredFile>> {
  const file = await holdUnchanged(ctx.em, StoredFileEntity, { id: fileId });
  if (!file || file.ownerId !== ownerId || file.deletedAt !== null) throw fieldProblem(path, 'unknown_file', 'is not an existing own file');
  if (!allowedMimes.includes(file.mime)) {
    throw fieldProblem(path, 'wrong_file_type', `the file must be one of ${allowedMimes.join(', ')}`);
  }
  return file;
}

/**
 * Holds the file of a record until the transaction ends, for a decision that approves the record (REV-6).
 * @throws {DomainError} file_missing when the file was deleted
 */
export async function holdFile(ctx: CommandContext, fileId: string): Promise<Readonly<StoredFile>> {
  const file = await holdUnchanged(ctx.em, StoredFileEntity, { id: fileId });
  if (!file || file.deletedAt !== null) throw new DomainError('file_missing', { file_id: fileId });
  return file;
}
