import type { EntityManager } from '@mikro-orm/postgresql';
import { CamelCasePlugin, type Kysely, type RawBuilder, sql } from 'kysely';
import { plannedEachTimeMark } from './dialect.ts';

/** The tables as typed queries know them. `src/entities.ts` fills it in, so that no file of the platform needs the areas for its types. */
export interface Tables {}

/**
 * Typed queries over the tables of the registry: for everything that is not one entity a command changes (see `README.md` beside this
 * file). Tables have their own names, columns those of the entities' properties.
 */
export type Database = Kysely<Tables>;

/** Columns by the names of the properties; what lies inside a JSON value keeps its own names. */
const camelCase = new CamelCasePlugin({ maintainNestedObjectKeys: true });

/** Queries of this entity manager: in its open transaction, if there is one. */
export function databaseOf(em: EntityManager): Database {
  return em.getKysely<Tables>().withPlugin(camelCase);
}

/** For `where(column, '=', inList(values))`: one parameter, so that one text serves lists of every length. */
export function inList<Value>(values: readonly Value[]): RawBuilder<Value> {
  return sql<Value>`any(${[...values]})`;
}

/** For `like` and `ilike`: texts with this part, as it stands; what the pattern takes for a sign of its own is looked for too. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}

/** A value of a JSON column, as `insert` and `update` take it: the driver would make an array of PostgreSQL of a list. */
export function json<Value>(value: Value): RawBuilder<Value> {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

/**
 * For `modifyEnd` of a query whose best way depends on its values: whether a word that is searched for is rare or stands everywhere. Planning
 * costs as much as a small query, so it is for few.
 */
export const plannedEachTime: RawBuilder<unknown> = sql.raw(plannedEachTimeMark);
