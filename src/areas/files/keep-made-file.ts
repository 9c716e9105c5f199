import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { commit } from '../../platform/commands/command.ts';
import type { Caller, CommandContext } from '../../platform/commands/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { audit } from '../audit/index.ts';
import type { MadeMime, StoredFile } from './entities.ts';
import { purgeFile, uploadLifetimeMs } from './purge-deleted-files.ts';
import { reserveFile } from './quota.ts';

/** Deletes a made file whose retention is over: it is hidden at once, the sweeper removes its bytes. Idempotent. */
export async function deleteMadeFile(ctx: CommandContext, fileId: string): Promise<void> {
  const file = await ctx.db
    .updateTable('files')
    .set({ deletedAt: ctx.now })
    .where('id', '=', fileId)
    .where('deletedAt', 'is', null)
    .returning(['sha256', 'purpose'])
    .executeTakeFirst();
  if (file) await audit(ctx, 'file.deleted', { kind: 'file', id: fileId }, { sha256: file.sha256, purpose: file.purpose });
}

/** Makes a random storage key, spread over folders to bound their size. It reveals nothing of the file or its owner. */
export function newStorageKey(): string {
  const name = randomUUID();
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}

/** A file that the registry has made for an account. */
export interface MadeFile extends Pick<StoredFile, 'ownerId' | 'purpose' | 'name' | 'size' | 'sha256'> {
  /** Chosen before the file is made, so that its address can be returned in advance. */
  id: string;
  mime: MadeMime;
}

/**
 * Stores a made file and publishes it in one transaction with the record that requested it (FIL-6).
 *
 * Each attempt reserves its own row, marked as deleted, and gives it the file's id at the end. Of two concurrent attempts one file
 * remains; the sweeper removes what a crashed attempt left.
 * @param open opens a stream of the bytes
 * @param record notes on the record that it has its file; false when it has or needs none: this file is then deleted
 */
export async function keepMadeFile(
  platform: Platform,
  caller: Caller,
  file: MadeFile,
  open: () => Readable,
  record: (ctx: CommandContext) => Promise<boolean>,
): Promise<void> {
  const reserved = randomUUID();
  const storageKey = newStorageKey();
  const row = { ...file, id: reserved, storageKey, width: null, height: null, pages: null };
  await commit(platform, caller, (ctx) => reserveFile(ctx, row, null));
  let isKept = false;
  try {
    await platform.storage.put(storageKey, open(), { contentType: file.mime, size: file.size });
    isKept = await commit(platform, caller, async (ctx) => {
      if (!(await record(ctx))) return false;
      await appear(ctx, reserved, file.id);
      return true;
    });
  } finally {
    // Does nothing to a published file, even when the answer to the COMMIT was lost.
    if (!isKept) await purgeFile(platform, reserved);
  }
}

/** @throws when storing took so long that the sweeper may already be removing the row; the next attempt starts over */
async function appear({ db, now }: CommandContext, reserved: string, id: string): Promise<void> {
  const appeared = await db
    .updateTable('files')
    .set({ id, createdAt: now, deletedAt: null })
    .where('id', '=', reserved)
    .where('purgedAt', 'is', null)
    .where('deletedAt', '>', new Date(now.getTime() - uploadLifetimeMs))
    .returning('id')
    .executeTakeFirst();
  if (!appeared) throw new Error(`storing the file ${id} took too long`);
}
