import { sql } from 'kysely';
import { commit, query } from '../../platform/commands/command.ts';
import type { CommandContext, UnrecordedCaller } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { causeOf } from '../../platform/logging/log.ts';
import type { Platform } from '../../platform/platform.ts';

/** An upload is stored or abandoned within this time, in milliseconds. An older reserved row was interrupted. */
export const uploadLifetimeMs = 60 * 60_000;
/** A page of the sweeper ends after this many milliseconds, however slow the storage is, well within the activity's timeout. */
const pageMs = 45_000;

/** A purge writes no audit event: `file.deleted` already names the file and the account. */
const purger: UnrecordedCaller = { actor: { kind: 'process' }, requestId: 'purge-deleted-files', ip: null };

export type PurgePlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox' | 'storage' | 'log'>;

/** A page of files to purge. */
interface PurgePage {
  /** Cursor: the id of the file after which the page starts; null for the first page. */
  behind?: string | null;
  limit?: number;
  /** Called before each file. */
  isStopped?: () => boolean;
}

/**
 * Removes the bytes of a page of deleted files (FIL-5): failed purges and interrupted uploads. Idempotent; may be interrupted at
 * any point. Uses files_purge_index.
 * @returns the number purged, and the cursor of the next page; null after the last page
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
      // The cursor's instant is read in SQL: a JavaScript Date loses the microseconds.
      .$if(behind !== null, (page) =>
        page
          // Lets the planner use the index, which it does not do for the row comparison.
          .where('deletedAt', '>=', (eb) => eb.selectFrom('files as f').select('f.deletedAt').where('f.id', '=', behind))
          .where(sql<boolean>`(deleted_at, id) > (select f.deleted_at, f.id from files as f where f.id = ${behind}::uuid)`),
      )
      // In index order: ordered by id, the planner would scan all files.
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
 * Removes the bytes of one deleted file, unless a copy shares them: the last copy's purge removes them (FIL-5). A storage failure
 * is logged and left to the sweeper, since the file is already hidden.
 * @returns whether this call ended the file's use of the quota
 */
export async function purgeFile(platform: PurgePlatform, fileId: string): Promise<boolean> {
  try {
    // Waits for a concurrent publication: a COMMIT whose answer was lost may still be in progress.
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
    // If there is no copy now, none can appear: only files that are not deleted are copied.
    if (file.hasCopies && (await commit(platform, purger, (ctx) => leaveToCopies(ctx, fileId)))) return true;
    await platform.storage.delete(file.storageKey);
    const { numUpdatedRows } = await commit(platform, purger, ({ db, now }) =>
      db.updateTable('files').set({ purgedAt: now }).where('id', '=', fileId).where('deletedAt', 'is not', null).executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  } catch (error) {
    platform.log.warn({ file_id: fileId, cause: causeOf(error) }, 'cannot purge a deleted file; the sweeper retries');
    return false;
  }
}

/** Selects other unpurged files with the same bytes. Uses files_storage_key_index. */
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
 * Marks a deleted file as purged and leaves the bytes to its copies. All copies are locked, so of two concurrent purges the later
 * one sees that it is the last and removes the bytes.
 * @returns false when no copy is left
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
