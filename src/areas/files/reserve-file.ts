import type { CommandContext } from '../../platform/context.ts';
import type { FileMime } from './mimes.ts';
import { type FileQuota, takePlace } from './quota.ts';

/** A file that was examined, before its bytes lie in storage. */
export interface NewFile {
  id: string;
  ownerId: number;
  purpose: string;
  name: string;
  mime: FileMime;
  /** Bytes. */
  size: number;
  sha256: string;
  /** Pixels; null for what is no image. */
  width: number | null;
  height: number | null;
  /** Of a PDF; null for an image. */
  pages: number | null;
  storageKey: string;
}

/**
 * Names the object that is about to be stored, so that it can be found and cleared if this process dies before `publishFile`:
 * the row is one of a deleted file until then, and takes its place already.
 * @param quota null for what the registry makes, which takes nobody's place
 * @throws {DomainError} quota_exceeded
 */
export async function reserveFile(ctx: CommandContext, file: NewFile, quota: FileQuota | null): Promise<void> {
  if (quota !== null) await takePlace(ctx, quota, file);
  await ctx.db
    .insertInto('files')
    .values({ ...file, createdAt: ctx.now, deletedAt: ctx.now })
    .execute();
}
