import { fieldProblem } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import { type StoredFile, StoredFileEntity } from './entities.ts';
import { type FileMime, uploadMimes } from './mimes.ts';

export const imageMimes: readonly FileMime[] = ['image/jpeg', 'image/png', 'image/webp'];

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
  if (!file || file.ownerId !== ownerId || file.deletedAt !== null)
    throw fieldProblem(path, 'unknown_file', 'there is no such file of yours');
  if (!allowedMimes.includes(file.mime)) {
    throw fieldProblem(path, 'wrong_file_type', `the file must be one of ${allowedMimes.join(', ')}`);
  }
  return file;
}
