import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';

/** Marks all files of an account as deleted, except those with these storage keys; the sweeper removes their bytes (FIL-5). Idempotent. */
export async function hideFiles({ db, now }: CommandContext, ownerId: number, keptKeys: readonly string[]): Promise<void> {
  await db
    .updateTable('files')
    .set({ deletedAt: now })
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .where(({ not, eb }) => not(eb('storageKey', '=', inList(keptKeys))))
    .execute();
}
