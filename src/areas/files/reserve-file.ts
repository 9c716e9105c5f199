import type { CommandContext } from '../../platform/context.ts';
import type { FileMime } from './mimes.ts';
import { type FileQuota, takePlace } from './quota.ts';

/** A file that was examined, before its bytes are stored. */
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
 * Records the object that is about to be stored, so that the sweeper can remove it if this process dies before `publishFile`.
 * Until then the row is marked as deleted, but already counts in the quota (FIL-3).
 * @param quota null for files that the registry makes: they count in no quota
 * @throws {DomainError} quota_exceeded
 */
export async function reserveFile(ctx: CommandContext, file: NewFile, quota: FileQuota | null): Promise<void> {
  if (quota !== null) await takePlace(ctx, quota, file);
  await ctx.db
    .insertInto('files')
    .values({ ...file, createdAt: ctx.now, deletedAt: ctx.now })
    .execute();
}
