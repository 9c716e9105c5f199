import type { CommandContext } from '../../platform/commands/context.ts';
import { inList } from '../../platform/database/database.ts';
import { isForAdministrators } from './policy.ts';

/**
 * Marks the files of an account as deleted; the sweeper removes their bytes (FIL-5). Marks of the federation stay (FIL-7), and so do files
 * with these storage keys. Idempotent.
 */
export async function hideFiles({ db, now, extensions }: CommandContext, ownerId: number, keptKeys: readonly string[]): Promise<void> {
  const files = await db
    .selectFrom('files')
    .select(['id', 'storageKey'])
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .orderBy('id')
    .forUpdate()
    .execute();
  const hidden: string[] = [];
  for (const { id, storageKey } of files)
    if (!keptKeys.includes(storageKey) && !(await isForAdministrators(db, extensions, id))) hidden.push(id);
  await db.updateTable('files').set({ deletedAt: now }).where('id', '=', inList(hidden)).execute();
}
