import { CompiledQuery } from 'kysely';
import { extensions } from '../../../src/registry/areas.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { columnName, impersonalRecords, personalRecords } from '../../../src/platform/personal-data.ts';
import { isShown, readRows } from '../../../src/areas/privacy/exports/read-data.ts';
import { hasTitle } from '../../../src/areas/privacy/exports/field-titles.ts';
import { kindTitles } from '../../../src/areas/privacy/exports/texts.ts';
import { startTestPlatform } from '../../support/test-platform.ts';

/** What the areas declare about people is true of the schema (PRV-1). */
const { platform, close } = await startTestPlatform();
afterAll(() => close());
const db = databaseOf(platform.orm.em.fork());
const personal = extensions.of(personalRecords).flat();
const impersonal = extensions.of(impersonalRecords).flat();

test('each table is declared once, with all its columns', async () => {
  const { rows } = await db.executeQuery<{ table: string; column: string }>(
    CompiledQuery.raw(
      `select c.relname as table, a.attname as column from pg_class c join pg_attribute a on a.attrelid = c.oid
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
         and a.attnum > 0 and not a.attisdropped and c.relname not like 'mikro_orm%'`,
    ),
  );
  const columns = Map.groupBy(rows, ({ table }) => table);
  const declared = [...personal, ...impersonal].map(({ table }) => columnName(table));
  expect(declared.toSorted()).toEqual([...columns.keys()].toSorted());
  for (const { table, columns: contents } of personal) {
    if (Object.keys(contents).length === 0) continue;
    const names = new Set(Object.keys(contents).map(columnName));
    expect([table, (columns.get(columnName(table)) ?? []).filter(({ column }) => !names.has(column))]).toEqual([table, []]);
  }
});

test('each kind has one declaration and, if the export shows it, titles of its kind and fields in three languages', () => {
  const kinds = personal.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  const shown = personal.filter(isShown).map(({ kind }) => kind);
  expect(Object.keys(kindTitles).toSorted()).toEqual(shown.toSorted());
  const fields = personal.flatMap(({ columns: contents }) =>
    Object.entries(contents).flatMap(([property, content]) =>
      content === 'technical' || content === 'secret' ? [] : [columnName(property).replace(/storage_key$/, 'path')],
    ),
  );
  expect([...new Set(fields)].filter((field) => !hasTitle(field))).toEqual([]);
});

test('each condition is a query that the database understands', async () => {
  for (const record of personal) for await (const row of readRows(db, record, { userId: 0, records: personal })) expect(row).toBeNull();
});

test('a text that only the service uses says what erasure does to it, where its row stays (PRV-3)', async () => {
  const { rows } = await db.executeQuery<{ table: string; column: string }>(
    CompiledQuery.raw(
      `select table_name as table, column_name as column from information_schema.columns
       where table_schema = 'public' and data_type in ('text', 'character varying', 'jsonb', 'json', 'ARRAY', 'tsvector', 'bytea')`,
    ),
  );
  const silent = personal.flatMap(({ table, columns, erasure }) => {
    if (typeof erasure === 'string') return [];
    const technical = Object.entries(columns).filter(([name, content]) => content === 'technical' && !(name in erasure.columns));
    return technical.filter(([name]) => rows.some((row) => row.table === columnName(table) && row.column === columnName(name)));
  });
  expect(silent).toEqual([]);
});
