import { query } from '../../platform/commands/command.ts';
import { type PurgePlatform, purgeFile } from './purge-deleted-files.ts';

/**
 * Removes the bytes of all deleted files of an erased account now (PRV-5). Idempotent.
 * @param signal stops the work between two files
 * @throws {Error} when the bytes of a file cannot be removed; a later attempt goes on
 */
export async function purgeFilesOf(platform: PurgePlatform, ownerId: number, signal: AbortSignal): Promise<void> {
  const left = () =>
    query(platform, (db) =>
      db
        .selectFrom('files')
        .select('id')
        .where('ownerId', '=', ownerId)
        .where('deletedAt', 'is not', null)
        .where('purgedAt', 'is', null)
        .orderBy('id')
        .execute(),
    );
  for (const { id } of await left()) {
    signal.throwIfAborted();
    await purgeFile(platform, id);
  }
  const [rest] = await left();
  if (rest) throw new Error(`the bytes of the file ${rest.id} are left`);
}
