import type { TestApi } from '../../support/test-api.ts';

/** Every row of the database as text, by table. */
export async function dumpRows(api: Pick<TestApi, 'sql'>): Promise<[table: string, row: string][]> {
  const tables = await api.sql<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const rows: [string, string][] = [];
  for (const { name } of tables)
    for (const { row } of await api.sql<{ row: string }>(`select t::text as row from ${name} t`)) rows.push([name, row]);
  return rows;
}
