import { sql } from 'kysely';
import type { Expression, RawBuilder } from 'kysely';

/** Keys chosen by a query, as a list that PostgreSQL makes first: the rows are then found by their keys and never by reading the table. */
export function anyOf<Key>(chosen: Expression<{ key: Key }>): RawBuilder<Key> {
  return sql<Key>`any(array(${chosen}))`;
}
