import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zipMime } from '../../platform/archive/stream-archive.ts';
import { commit } from '../../platform/command.ts';
import type { Caller, CommandContext } from '../../platform/context.ts';
import { inList } from '../../platform/database/database.ts';
import { dayMs } from '../../platform/date-time.ts';
import { errorName } from '../../platform/error-code.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Storage } from '../../platform/storage/storage.ts';
import type { StoredFile } from './entities.ts';
import { newStorageKey } from './keep-made-file.ts';
import { purgeFile } from './purge-deleted-files.ts';
import { reserveFile } from './reserve-file.ts';

/** A file made in parts is complete within a day, retries included; the sweeper then removes leftover parts. */
const partLifetimeMs = dayMs;

/**
 * Stores a part of a file that takes long to make, so that the next attempt continues after it.
 *
 * A part's row is marked as deleted from the start: no route finds it, and the sweeper removes it after a crash.
 * @param record notes what the part holds; false when the part is no longer needed: it is then deleted
 */
export async function keepPart(
  platform: Platform,
  caller: Caller,
  { ownerId, purpose, name }: Pick<StoredFile, 'ownerId' | 'purpose' | 'name'>,
  pieces: readonly Buffer[],
  record: (ctx: CommandContext, fileId: string) => Promise<boolean>,
): Promise<void> {
  const id = randomUUID();
  const storageKey = newStorageKey();
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  // The type of the finished archive.
  const facts = { mime: zipMime, size, sha256: hash.digest('hex'), width: null, height: null, pages: null } as const;
  await commit(platform, caller, (ctx) => reserveFile(ctx, { id, ownerId, purpose, name, storageKey, ...facts }, null));
  let isKept = false;
  try {
    const bytes = Readable.from(pieces, { objectMode: false });
    await platform.storage.put(storageKey, bytes, { contentType: 'application/octet-stream', size });
    isKept = await commit(platform, caller, async (ctx) => {
      if (!(await record(ctx, id))) return false;
      await ctx.db
        .updateTable('files')
        .set({ deletedAt: new Date(ctx.now.getTime() + partLifetimeMs) })
        .where('id', '=', id)
        .execute();
      return true;
    });
  } finally {
    if (!isKept) await purgeFile(platform, id);
  }
}

/** Reads the bytes of a part; null when they are missing or their hash differs. */
export async function readPart(
  storage: Pick<Storage, 'get'>,
  { storageKey, sha256 }: Pick<StoredFile, 'storageKey' | 'sha256'>,
): Promise<Buffer | null> {
  try {
    const bytes = await buffer(await storage.get(storageKey));
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes : null;
  } catch (error) {
    if (errorName(error) === 'StorageObjectMissingError') return null;
    throw error;
  }
}

/** Marks unneeded parts for the sweeper. A caller that wants them removed at once purges them after the commit. */
export async function dropParts(ctx: CommandContext, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  await ctx.db.updateTable('files').set({ deletedAt: ctx.now }).where('id', '=', inList(fileIds)).where('purgedAt', 'is', null).execute();
}
