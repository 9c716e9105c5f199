import { type Database, inList } from '../../platform/database/database.ts';
import type { Import } from './entities.ts';
import type { ImportedRow } from './sheet/problems.ts';

/** Finds imports, in the order of their ids. */
export function findImports(db: Database, ids: readonly number[]): Promise<Readonly<Import>[]> {
  return db.selectFrom('imports').selectAll().where('id', '=', inList(ids)).orderBy('id').execute();
}

export async function findImport(db: Database, id: number): Promise<Readonly<Import> | null> {
  return (await findImports(db, [id]))[0] ?? null;
}

/** Lists what became of the rows that an import has taken, in the order of the file. */
export async function listOutcomes(db: Database, importId: number): Promise<ImportedRow[]> {
  const batches = await db
    .selectFrom('import_batches')
    .select('outcome')
    .where('importId', '=', importId)
    .where('outcome', 'is not', null)
    .orderBy('position')
    .execute();
  return batches.flatMap(({ outcome }) => outcome ?? []);
}
