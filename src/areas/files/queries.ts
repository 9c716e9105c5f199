import type { Database } from '../../platform/database/database.ts';
import type { StoredFile } from './entities.ts';

/** Finds a file that was not deleted, of any owner. */
export async function findFile(db: Database, id: string): Promise<Readonly<StoredFile> | null> {
  return (await db.selectFrom('files').selectAll().where('id', '=', id).where('deletedAt', 'is', null).executeTakeFirst()) ?? null;
}

export interface FileListing {
  ownerId: number;
  purpose: string | undefined;
  page: number;
  limit: number;
}

/** Lists a page of an account's files, newest first, and counts all of them. Uses files_owner_index. */
export async function listFiles(
  db: Database,
  { ownerId, purpose, page, limit }: FileListing,
): Promise<{ files: Readonly<StoredFile>[]; total: number }> {
  const matching = db
    .selectFrom('files')
    .where('ownerId', '=', ownerId)
    .where('deletedAt', 'is', null)
    .$if(purpose !== undefined, (all) => all.where('purpose', '=', purpose ?? ''));
  const [files, { total }] = await Promise.all([
    matching
      .selectAll()
      .orderBy('createdAt', 'desc')
      .orderBy('id', 'desc')
      .limit(limit)
      .offset((page - 1) * limit)
      .execute(),
    matching.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow(),
  ]);
  return { files, total };
}
