import { type Database, inList } from '../../../platform/database/database.ts';

/** Finds the names of accounts, by id; null for none. */
export async function findNames(db: Database, ids: readonly (number | null)[]): Promise<(id: number | null) => string | null> {
  const wanted = [...new Set(ids.filter((id) => id !== null))];
  const found = wanted.length === 0 ? [] : await db.selectFrom('users').select(['id', 'name']).where('id', '=', inList(wanted)).execute();
  const names = new Map(found.map(({ id, name }) => [id, name]));
  return (id) => (id === null ? null : (names.get(id) ?? null));
}
