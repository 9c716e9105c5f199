import { commit, query } from '../platform/command.ts';
import type { Caller } from '../platform/context.ts';
import { causeOf } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';

/** An upload is stored or given up within this time, in milliseconds; a reserved row older than that was cut off. */
export const uploadLifetimeMs = 60 * 60_000;
const batch = 100;
const nilUuid = '00000000-0000-0000-0000-000000000000';

/** Nobody asks for a purge, and no audit event is written of it: what was deleted, and by whom, stands there already. */
const purger: Caller = { actor: { kind: 'process' }, requestId: 'purge-deleted-files', ip: null };

type PurgePlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox' | 'storage' | 'log'>;

/**
 * Removes the bytes of files whose rows are deleted: those whose purge did not come through, and those whose upload was cut off.
 * May be cut off and run again at any point. Read by `files_purge_index`.
 * @returns how many were purged
 */
export async function purgeDeletedFiles(platform: PurgePlatform): Promise<number> {
  let purged = 0;
  for (let afterId = nilUuid; ;) {
    const files = await query(platform, (db, now) =>
      db
        .selectFrom('files')
        .select('id')
        .where('deletedAt', '<=', new Date(now.getTime() - uploadLifetimeMs))
        .where('purgedAt', 'is', null)
        .where('id', '>', afterId)
        .orderBy('id')
        .limit(batch)
        .execute(),
    );
    for (const { id } of files) purged += (await purgeFile(platform, id)) ? 1 : 0;
    const last = files.at(-1);
    if (!last) return purged;
    afterId = last.id;
  }
}

/**
 * Removes the bytes of one deleted file. A failure of the storage is logged and left to the sweep: the file is out of reach
 * for everybody already.
 * @returns whether the bytes are gone by this call
 */
export async function purgeFile(platform: PurgePlatform, fileId: string): Promise<boolean> {
  try {
    const file = await query(platform, (db) =>
      db
        .selectFrom('files')
        .select('storageKey')
        .where('id', '=', fileId)
        .where('deletedAt', 'is not', null)
        .where('purgedAt', 'is', null)
        .executeTakeFirst(),
    );
    if (!file) return false;
    await platform.storage.delete(file.storageKey);
    const { numUpdatedRows } = await commit(platform, purger, ({ db, now }) =>
      db.updateTable('files').set({ purgedAt: now }).where('id', '=', fileId).where('deletedAt', 'is not', null).executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  } catch (error) {
    platform.log.warn({ file_id: fileId, cause: causeOf(error) }, 'a deleted file could not be purged; the sweep will');
    return false;
  }
}
