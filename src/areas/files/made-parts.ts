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

/** What was made in parts is put together within a day, with all its tries; what is left is swept away. */
const partLifetimeMs = dayMs;

/**
 * Stores a part of a file that takes long to make, so that the next try goes on behind it. A part is a file that is deleted from the first: nobody
 * finds it, and the sweep clears it wherever its maker died.
 * @param record notes what the part holds; false when nobody needs it any more: it is deleted then
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
  // Of an archive that is to be.
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

/** The bytes of a part as they were stored; null where they are there no more. */
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

/** Leaves parts that nobody needs any more to the sweep; whoever wants them gone at once purges them after the commit. */
export async function dropParts(ctx: CommandContext, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  await ctx.db.updateTable('files').set({ deletedAt: ctx.now }).where('id', '=', inList(fileIds)).where('purgedAt', 'is', null).execute();
}
