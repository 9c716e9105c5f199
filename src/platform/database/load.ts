import type { EntityDictionary, EntityKey, EntityManager, EntityName } from '@mikro-orm/postgresql';
import { executePrepared } from './prepared.ts';

/** How long and against whom a row is held: until the transaction ends, against any other writer, or against changes only. */
type Hold = 'for update' | 'for share';

/**
 * Reads a row by its primary key; one that this entity manager knows is not read again. To be looked at only: what is to be
 * changed is locked first. By a prepared statement: building and planning the same query anew costs the ORM three times what
 * reading the row does.
 * @param entity one whose key is a single `id`
 */
export async function loadById<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  id: number | string,
): Promise<Readonly<E> | null> {
  const known = em.getUnitOfWork().getById<E>(entity, id as never);
  if (known) return known;
  const row = await read(em, entity, id, '');
  return row && toRecord(em, entity, row);
}

/**
 * Reads a row by another column whose values are unique, as it stands in the database: what the next flush would write is not seen.
 * @param property the entity's name for it
 */
export async function loadByUnique<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  property: EntityKey<E>,
  value: string,
): Promise<Readonly<E> | null> {
  const [column] = em.getMetadata().get<E>(entity).properties[property].fieldNames;
  const [row] = await executePrepared<EntityDictionary<E>>(em, `${selectOf(em, entity)} where "${column}" = $1`, [value]);
  return row ? toRecord(em, entity, row) : null;
}

/** A row as an entity that the next flush writes when it was changed, and its lock; always as it stands now, whatever was read before. */
export async function lockById<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  id: number | string,
  hold: Hold = 'for update',
): Promise<E | null> {
  const row = await read(em, entity, id, hold);
  return row && em.map(entity, row);
}

async function read<E extends object>(
  em: EntityManager,
  entity: EntityName<E>,
  id: number | string,
  hold: Hold | '',
): Promise<EntityDictionary<E> | null> {
  const [row] = await executePrepared<EntityDictionary<E>>(em, `${selectOf(em, entity)} where "id" = $1 ${hold}`, [id]);
  return row ?? null;
}

/** The properties of an entity without the entity: nobody compares it with what it was before, at the end of a transaction. */
function toRecord<E extends object>(em: EntityManager, entity: EntityName<E>, row: EntityDictionary<E>): E {
  const meta = em.getMetadata().get<E>(entity);
  const record: Record<string, unknown> = em.getDriver().mapResult<E>(row, meta) ?? {};
  for (const { name, customType } of meta.props) {
    if (customType && record[name] !== null) record[name] = customType.convertToJSValue(record[name], em.getPlatform());
  }
  return record as E;
}

const selects = new Map<unknown, string>();

/** Columns by name, so that a column added by a later release changes nothing for a statement that is planned already. */
function selectOf<E extends object>(em: EntityManager, entity: EntityName<E>): string {
  const known = selects.get(entity);
  if (known !== undefined) return known;
  const { tableName, props } = em.getMetadata().get<E>(entity);
  const columns = props.flatMap(({ fieldNames, persist }) => (persist === false ? [] : fieldNames));
  const select = `select ${columns.map((column) => `"${column}"`).join(', ')} from "${tableName}"`;
  selects.set(entity, select);
  return select;
}
