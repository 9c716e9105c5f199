import { type Database, inList } from '../../../platform/database/database.ts';
import type { AccountExport } from '../entities.ts';

/** An export and the size of its archive, bytes; null without one. */
export type ExportRecord = Readonly<AccountExport> & { bytes: number | null };

function exportsWithSize(db: Database) {
  return db
    .selectFrom('account_exports as e')
    .leftJoin('files as f', (join) => join.onRef('f.id', '=', 'e.fileId').on('f.deletedAt', 'is', null))
    .selectAll('e')
    .select('f.size as bytes');
}

/** Finds exports, in the order of their ids. */
export function findExports(db: Database, ids: readonly number[]): Promise<ExportRecord[]> {
  return exportsWithSize(db).where('e.id', '=', inList(ids)).orderBy('e.id').execute();
}

export async function findExport(db: Database, id: number): Promise<ExportRecord | null> {
  return (await findExports(db, [id]))[0] ?? null;
}

/** Finds the newest export of an account; null before its first. */
export async function findLastExport(db: Database, userId: number): Promise<ExportRecord | null> {
  return (await exportsWithSize(db).where('e.userId', '=', userId).orderBy('e.id', 'desc').limit(1).executeTakeFirst()) ?? null;
}
