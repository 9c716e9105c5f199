import { type ExpressionBuilder, type RawBuilder, type SelectType, sql } from 'kysely';

/** A row inside JSON of the database: its instants are text. */
export type InJson<Row> = {
  [Column in keyof Row]: Exclude<Row[Column], null> extends Date ? string | Extract<Row[Column], null> : Row[Column];
};

/** Builds a JSON object of columns of a table. Its keys are the given names, as properties have them. */
export function jsonOf<DB, TB extends keyof DB, Alias extends TB & string, Column extends keyof DB[Alias] & string>(
  _eb: ExpressionBuilder<DB, TB>,
  alias: Alias,
  columns: readonly Column[],
): RawBuilder<InJson<{ [Name in Column]: SelectType<DB[Alias][Name]> }>> {
  return sql`json_build_object(${sql.join(columns.map((column) => sql`${sql.lit(column)}, ${sql.ref(`${alias}.${column}`)}`))})`;
}

/** Aggregates the JSON objects of a subquery into one ordered list. */
export function listOf<Row>(row: RawBuilder<Row>, orderBy: string): RawBuilder<Row[]> {
  return sql<Row[]>`coalesce(json_agg(${row} order by ${sql.ref(orderBy)}), '[]')`;
}

/** Parses the instants of a row that was read as JSON. */
export function withInstants<Row extends object, Instant extends keyof Row>(
  row: Row,
  instants: readonly Instant[],
): Omit<Row, Instant> & { [Name in Instant]: Date | Extract<Row[Name], null> } {
  const parsed = instants.map((name) => [name, row[name] === null ? null : new Date(String(row[name]))]);
  // The names are those of the type, and each value is an instant or null.
  return { ...row, ...Object.fromEntries(parsed) } as ReturnType<typeof withInstants<Row, Instant>>;
}
