import type { Variables } from '../../registry/config.ts';
import { DomainError, isDomainError } from '../../errors.ts';
import { query } from '../../platform/commands/command.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import type { Database } from '../../platform/database/database.ts';
import { literals } from '../../platform/database/literals.ts';
import type { Platform } from '../../platform/platform.ts';
import { countAttempt } from '../accounts/index.ts';
import { type StoredFile, uploadMimes } from './entities.ts';

/** Limits of one account's stored files (FIL-3). */
type FileQuota = Pick<Variables, 'QUOTA_FILES' | 'QUOTA_BYTES'>;

/** Upper bound of what a multipart body holds besides the file: its other fields and the boundaries. */
const multipartOverheadBytes = 32 * 1024;

/**
 * Refuses an upload over the quota before its body is read (FIL-3), by the announced length.
 *
 * Then counts it among the uploads of the hour, even if it fails later. Two concurrent uploads may both pass here: `takePlace`
 * decides.
 * @param contentLength bytes of the body; null when the client did not announce it
 * @throws {DomainError} quota_exceeded
 */
export async function admitUpload(platform: Platform, ownerId: number, contentLength: number | null): Promise<void> {
  const used = await query(platform, (db) => readUsage(db, ownerId));
  requireRoom(platform.config, used, Math.max(1, (contentLength ?? 0) - multipartOverheadBytes));
  const limit = platform.config.RATE_LIMIT_UPLOADS_PER_HOUR;
  try {
    await countAttempt(platform, { key: `upload:${ownerId}`, limit, windowSeconds: 3600 });
  } catch (error) {
    if (!isDomainError(error) || error.code !== 'rate_limited') throw error;
    const { details } = error;
    throw new DomainError(
      'quota_exceeded',
      { quota: 'uploads_per_hour', used: limit, limit, retry_after_seconds: details?.['retry_after_seconds'] },
      'The account has reached its limit of uploads an hour. Send the file later.',
    );
  }
}

/**
 * Checks the quota for a file that the same transaction inserts (FIL-3). The account's row stays locked until then, so only one
 * of two concurrent uploads takes the last place.
 * @throws {DomainError} quota_exceeded
 */
async function takePlace(ctx: CommandContext, quota: FileQuota, { ownerId, size }: { ownerId: number; size: number }): Promise<void> {
  await ctx.db.selectFrom('users').select('id').where('id', '=', ownerId).forNoKeyUpdate().executeTakeFirstOrThrow();
  requireRoom(quota, await readUsage(ctx.db, ownerId), size);
}

const uploads = literals(uploadMimes);

interface Usage {
  files: number;
  bytes: number;
}

/**
 * Counts an account's files: stored, being uploaded, and deleted ones until their bytes are removed. Made files do not count.
 * Uses files_kept_index.
 */
async function readUsage(db: Database, ownerId: number): Promise<Usage> {
  const { files, bytes } = await db
    .selectFrom('files')
    .select((eb) => [eb.fn.countAll<number>().as('files'), eb.fn.coalesce(eb.fn.sum<string>('size'), eb.lit(0)).as('bytes')])
    .where('ownerId', '=', ownerId)
    .where('purgedAt', 'is', null)
    .where('mime', 'in', uploads)
    .executeTakeFirstOrThrow();
  return { files, bytes: Number(bytes) };
}

/** @param size bytes that one more file would add */
function requireRoom({ QUOTA_FILES, QUOTA_BYTES }: FileQuota, used: Usage, size: number): void {
  if (used.files >= QUOTA_FILES)
    throw new DomainError(
      'quota_exceeded',
      { quota: 'files', used: used.files, limit: QUOTA_FILES },
      'The account has reached its limit of files. Delete an unused file.',
    );
  if (used.bytes + size > QUOTA_BYTES)
    throw new DomainError(
      'quota_exceeded',
      { quota: 'bytes', used: used.bytes, limit: QUOTA_BYTES },
      'The file exceeds the storage limit of the account. Delete unused files.',
    );
}

/** A file that was examined, before its bytes are stored. */
type NewFile = Omit<StoredFile, 'createdAt' | 'deletedAt' | 'purgedAt'>;

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
