import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { commit } from '../../platform/command.ts';
import type { Caller, CommandContext } from '../../platform/context.ts';
import type { Platform } from '../../platform/platform.ts';
import { audit } from '../audit/index.ts';
import type { MadeMime } from './mimes.ts';
import { purgeFile, uploadLifetimeMs } from './purge-deleted-files.ts';
import { reserveFile } from './reserve-file.ts';

/**
 * Deletes what the registry made, when its time is over: nobody finds it from now on, the sweep clears its bytes. Does nothing to a file that
 * is deleted.
 */
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

/** Spread over folders, so that none grows without bound; tells nothing of the file or its owner. */
export function newStorageKey(): string {
  const name = randomUUID();
  return `${name.slice(0, 2)}/${name.slice(2, 4)}/${name}`;
}

/** A file that the registry has made for somebody. */
export interface MadeFile {
  /** Settled before it is made, so that its address can be told before it is there. */
  id: string;
  ownerId: number;
  purpose: string;
  name: string;
  mime: MadeMime;
  /** Bytes. */
  size: number;
  sha256: string;
}

/**
 * Stores what the registry has made and lets it appear, in one transaction with the record that asked for it. As with an upload the bytes are
 * known before they are stored: each try keeps a row of its own, of a deleted file, and gives it the file's id at the end. So of two makers
 * at once one file remains, and wherever one dies the sweep clears what it left.
 * @param open gives the bytes
 * @param record notes on the record that it has its file; false when it has one already, or needs none any more: this one is deleted then
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
    // Does nothing to one that has appeared, even where that could not be heard.
    if (!isKept) await purgeFile(platform, reserved);
  }
}

/** @throws where it took so long that the sweep may be clearing it: the next try begins anew */
async function appear({ db, now }: CommandContext, reserved: string, id: string): Promise<void> {
  const appeared = await db
    .updateTable('files')
    .set({ id, createdAt: now, deletedAt: null })
    .where('id', '=', reserved)
    .where('purgedAt', 'is', null)
    .where('deletedAt', '>', new Date(now.getTime() - uploadLifetimeMs))
    .returning('id')
    .executeTakeFirst();
  if (!appeared) throw new Error(`the file ${id} took too long to be stored`);
}
