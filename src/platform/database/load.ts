import type { EntityManager, EntityName } from '@mikro-orm/postgresql';
import { executePrepared } from './prepared.ts';

/** How long and against whom a row is held: until the transaction ends, against any other writer, or against changes only. */
type Hold = 'for update' | 'for share';

/**
 * Loads a row by its primary key as an entity; one that this entity manager knows is not read again. By a prepared statement:
 * building and planning the same query anew costs the ORM three times what reading the row does.
 * @param entity one whose key is a single `id`
 */
export async function loadById<E extends object>(em: EntityManager, entity: EntityName<E>, id: number | string): Promise<E | null> {
  const known = em.getUnitOfWork().getById<E>(entity, id as never);
  return known ?? read(em, entity, id, '');
}

/** The same, and holds the row; always as it stands now, whatever was read before the lock was got. */
export function lockById<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  id: number | string,
  hold: Hold = 'for update',
): Promise<E | null> {
  return read(em, entity, id, hold);
}

async function read<E extends object>(em: EntityManager, entity: EntityName<E>, id: number | string, hold: Hold | ''): Promise<E | null> {
  const [row] = await executePrepared<object>(em, `${selectOf(em, entity)} where "id" = $1 ${hold}`, [id]);
  return row ? em.map(entity, row as never) : null;
}

const selects = new Map<unknown, string>();

/** Columns by name, so that a column added by a later release changes nothing for a statement that is planned already. */
function selectOf<E extends object>(em: EntityManager, entity: EntityName<E>): string {
  const known = selects.get(entity);
  if (known !== undefined) return known;
  const { tableName, props } = em.getMetadata().get<E>(entity);
  const columns = props.flatMap(({ fieldNames, persist }) => (persist === false ? [] : (fieldNames ?? [])));
  const select = `select ${columns.map((column) => `"${column}"`).join(', ')} from "${tableName}"`;
  selects.set(entity, select);
  return select;
}
