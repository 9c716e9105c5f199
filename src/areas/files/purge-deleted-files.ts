import { sql } from 'kysely';
import { commit, query } from '../../platform/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../platform/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { causeOf } from '../../platform/log.ts';
import type { Platform } from '../../platform/platform.ts';

/** An upload is stored or given up within this time, in milliseconds; a reserved row older than that was cut off. */
export const uploadLifetimeMs = 60 * 60_000;
/** A page of the sweeper ends after this (milliseconds), however slow the storage is: long before the page's own time is over. */
const pageMs = 45_000;

/** Nobody asks for a purge, and no audit event is written of it: what was deleted, and by whom, stands there already. */
const purger: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'purge-deleted-files', ip: null };

type PurgePlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox' | 'storage' | 'log'>;

/** A page of files to purge. */
export interface PurgePage {
  /** The id of the file behind which it begins; null: at the beginning. */
  behind?: string | null;
  limit?: number;
  /** Asked before each file. */
  isStopped?: () => boolean;
}

/**
 * Removes the bytes of files whose rows are deleted, a page of them in the order of `files_purge_index`: those whose purge did not come
 * through, and those whose upload was cut off. May be cut off and run again at any point.
 * @returns how many were purged, and the file behind which the next page begins; null where there is none
 */
export async function purgeDeletedFiles(
  platform: PurgePlatform,
  { behind = null, limit = 100, isStopped = () => false }: PurgePage = {},
): Promise<{ purged: number; next: string | null }> {
  const files = await query(platform, (db, now) =>
    db
      .selectFrom('files')
      .select('id')
      .where('deletedAt', '<=', new Date(now.getTime() - uploadLifetimeMs))
      .where('purgedAt', 'is', null)
      // As the row has it: an instant that has been a Date has lost its microseconds.
      .$if(behind !== null, (page) =>
        page
          // For the index, which does not take the comparison of both.
          .where('deletedAt', '>=', (eb) => eb.selectFrom('files as f').select('f.deletedAt').where('f.id', '=', behind))
          .where(sql<boolean>`(deleted_at, id) > (select f.deleted_at, f.id from files as f where f.id = ${behind}::uuid)`),
      )
      // In the order of the index: in that of the ids the server would look for them among all files.
      .orderBy('deletedAt')
      .orderBy('id')
      .limit(limit)
      .execute(),
  );
  const endsAt = performance.now() + pageMs;
  let purged = 0;
  let last = behind;
  for (const { id } of files) {
    if (isStopped() || performance.now() > endsAt) return { purged, next: last };
    if (await purgeFile(platform, id)) purged += 1;
    last = id;
  }
  return { purged, next: files.length < limit ? null : last };
}

/**
 * Removes the bytes of one deleted file, unless a copy of it has them too: then the last of them takes the bytes along. A failure of the
 * storage is logged and left to the sweep: the file is out of reach for everybody already.
 * @returns whether the file takes no place any more by this call
 */
export async function purgeFile(platform: PurgePlatform, fileId: string): Promise<boolean> {
  try {
    // Waits for whoever lets it appear just now: a COMMIT that nobody has heard of may still be under way.
    const file = await commit(platform, purger, ({ db }) =>
      db
        .selectFrom('files as f')
        .select((eb) => ['f.storageKey', eb.exists(copiesOf(db, fileId)).as('hasCopies')])
        .where('f.id', '=', fileId)
        .where('f.deletedAt', 'is not', null)
        .where('f.purgedAt', 'is', null)
        .forUpdate('f')
        .executeTakeFirst(),
    );
    if (!file) return false;
    // Where there is none now none comes any more: copies are made of files that are there.
    if (file.hasCopies && (await commit(platform, purger, (ctx) => leaveToCopies(ctx, fileId)))) return true;
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

/** Other files with the same bytes that still take their place. Uses files_storage_key_index. */
function copiesOf(db: Database, fileId: string) {
  return db
    .selectFrom('files as copy')
    .innerJoin('files as own', 'own.storageKey', 'copy.storageKey')
    .where('own.id', '=', fileId)
    .where('copy.id', '<>', fileId)
    .where('copy.purgedAt', 'is', null)
    .select('copy.id');
}

/**
 * Gives up a deleted file's place and leaves the bytes to its copies. All of them are locked: of two that are purged at once the later is
 * the last, and takes the bytes along.
 * @returns false where none is left by now
 */
async function leaveToCopies({ db, now }: CommandContext, fileId: string): Promise<boolean> {
  await db
    .selectFrom('files')
    .select('id')
    .where('storageKey', '=', (eb) => eb.selectFrom('files as own').select('own.storageKey').where('own.id', '=', fileId))
    .orderBy('id')
    .forUpdate()
    .execute();
  const { numUpdatedRows } = await db
    .updateTable('files')
    .set({ purgedAt: now })
    .where('id', '=', fileId)
    .where('deletedAt', 'is not', null)
    .where('purgedAt', 'is', null)
    .where((eb) => eb.exists(copiesOf(db, fileId)))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
