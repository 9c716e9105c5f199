import { read } from '../platform/command.ts';
import { causeOf } from '../platform/log.ts';
import type { Platform } from '../platform/platform.ts';
import { StoredFileEntity } from './entities.ts';

/** An upload is stored or given up within this time, in milliseconds; a reserved row older than that is a leftover. */
export const leftoverAgeMs = 60 * 60_000;
const batch = 100;

type Tools = Pick<Platform, 'orm' | 'clock' | 'storage' | 'log'>;

/**
 * Removes the bytes of files whose rows are deleted: those whose purge did not come through, and those whose upload was cut off.
 * May be cut off and run again at any point.
 * @returns how many were purged
 */
export async function purgeDeletedFiles(platform: Tools): Promise<number> {
  let purged = 0;
  for (let afterId = '00000000-0000-0000-0000-000000000000'; ;) {
    const files = await read(platform, (em, now) =>
      em.execute<{ id: string }[]>('select id from files where deleted_at <= ? and purged_at is null and id > ? order by id limit ?', [
        new Date(now.getTime() - leftoverAgeMs),
        afterId,
        batch,
      ]),
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
export async function purgeFile(platform: Tools, fileId: string): Promise<boolean> {
  try {
    return await read(platform, async (em, now) => {
      const file = await em.findOne(StoredFileEntity, { id: fileId, deletedAt: { $ne: null }, purgedAt: null });
      if (!file) return false;
      await platform.storage.delete(file.storageKey);
      return (await em.nativeUpdate(StoredFileEntity, { id: fileId, deletedAt: { $ne: null } }, { purgedAt: now })) > 0;
    });
  } catch (error) {
    platform.log.warn({ file_id: fileId, cause: causeOf(error) }, 'a deleted file could not be purged; the sweep will');
    return false;
  }
}
