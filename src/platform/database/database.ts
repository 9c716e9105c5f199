import type { EntityManager } from '@mikro-orm/postgresql';
import { CamelCasePlugin, type Expression, type Kysely, type RawBuilder, type SelectQueryBuilder, type Simplify, sql } from 'kysely';
import { customPlanMark } from './dialect.ts';

/** Types of the tables. `src/registry/entities.ts` adds them, so that the platform does not import the areas. */
export interface Tables {}

/**
 * Typed queries, for everything except entities that a command changes (`README.md` in this folder). Columns have the names of the
 * entities' properties.
 */
export type Database = Kysely<Tables>;

/** Columns by property names; keys inside JSON values stay unchanged. */
const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** Returns the queries of an entity manager, in its open transaction if there is one. */
export function databaseOf(em: EntityManager): Database {
  return em.getKysely<Tables>().withPlugin(camelCase);
}

/** For `where(column, '=', inList(values))`: one parameter, so that lists of every length share one statement. */
export function inList<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`any(${[...values]})`;
}

/** Wraps selected keys in `any(array(...))`: PostgreSQL builds the list first and then finds the rows by key, without a table scan. */
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

/** Whether all words of a phrase occur in a text, in any order, folded (`folded` of the database). For lists that are read whole. */
export function hasWords(text: Expression<string | null>, phrase: string): RawBuilder<boolean> {
  return sql<boolean>`folded(${text}) like all ((select search_patterns(${phrase}))::text[])`;
}

/** Converts a value for a JSON column. Without it, the driver converts a list to a PostgreSQL array. */
export function json<Value>(value: Value): RawBuilder<Value> {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

/**
 * For `modifyEnd` of a query whose best plan depends on its values, such as rare or frequent words. Planning costs as much as a small
 * query: use it rarely.
 */
export const customPlan: RawBuilder<unknown> = sql.raw(customPlanMark);
