import type { EntityManager } from '@mikro-orm/postgresql';
import { CamelCasePlugin, type Expression, type Kysely, type RawBuilder, type SelectQueryBuilder, type Simplify, sql } from 'kysely';
import { plannedEachTimeMark } from './dialect.ts';

/** The tables as typed queries know them. `src/entities.ts` fills it in, so that no file of the platform needs the areas for its types. */
export interface Tables {}

/**
 * Typed queries over the tables of the registry: for everything that is not one entity a command changes (see `README.md` beside this
 * file). Tables have their own names, columns those of the entities' properties.
 */
export type Database = Kysely<Tables>;

/** Columns by property names; keys inside JSON values stay unchanged. */
const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** Queries of this entity manager: in its open transaction, if there is one. */
export function databaseOf(em: EntityManager): Database {
  return em.getKysely<Tables>().withPlugin(camelCase);
}

/** For `where(column, '=', inList(values))`: one parameter, so that one text serves lists of every length. */
export function inList<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`any(${[...values]})`;
}

/** Wraps chosen keys in `any(array(...))`: PostgreSQL builds the list first and then finds the rows by key, not by a table scan. */
export function anyOf<Key>(chosen: Expression<{ key: Key }>): RawBuilder<Key> {
  return sql<Key>`any(array(${chosen}))`;
}

/** Counts the rows of a query; its selection is ignored. */
export async function countRows<DB, TB extends keyof DB, Row>(query: SelectQueryBuilder<DB, TB, Row>): Promise<number> {
  const counted = query.clearSelect().select((eb) => eb.fn.countAll<number>().as('count'));
  const { count } = await counted.$castTo<{ count: number }>().executeTakeFirstOrThrow();
  return count;
}

/** A page of a list; pages start at 1. */
export interface Paging {
  page: number;
  limit: number;
}

/** Reads a page of an ordered query, and counts all its rows. */
export async function readPage<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  { page, limit }: Paging,
): Promise<{ rows: Simplify<Row>[]; total: number }> {
  const shown = query.limit(limit).offset((page - 1) * limit);
  const [rows, total] = await Promise.all([shown.execute(), countRows(query.clearOrderBy())]);
  return { rows, total };
}

/** Escapes text for `like` and `ilike`, so that pattern characters match themselves. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** A value of a JSON column, as `insert` and `update` take it: the driver would make an array of PostgreSQL of a list. */
export function json<Value>(value: Value): RawBuilder<Value> {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

/**
 * For `modifyEnd` of a query whose best plan depends on its values, such as rare or frequent words. Planning costs as much as a small
 * query, so use it rarely.
 */
export const plannedEachTime: RawBuilder<unknown> = sql.raw(plannedEachTimeMark);
