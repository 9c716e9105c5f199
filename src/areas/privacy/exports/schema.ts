import type { MikroORM } from '@mikro-orm/postgresql';
import { columnName, type PersonalRecord } from '../../../platform/personal-data.ts';
import { isShown } from './read-data.ts';

/** JSON Schema of `data.json` (JSON Schema 2020-12), from the declarations and the types of the columns. */
export function writeSchema(orm: MikroORM, records: readonly PersonalRecord[]): string {
  const tables = new Map([...orm.getMetadata().getAll().values()].map((table) => [table.tableName, table]));
  const properties = Object.fromEntries(
    records.filter(isShown).map(({ kind, table, columns }) => {
      const shown = (tables.get(table)?.props ?? []).flatMap(({ name, runtimeType, columnTypes, nullable = false }) => {
        const content = columns[name];
        if (content === 'file') return [[columnName(name).replace(/storage_key$/, 'path'), { type: ['string', 'null'] }]];
        return content === 'fact' || content === 'personal'
          ? [[columnName(name), schemaOf(runtimeType, columnTypes?.[0] ?? '', nullable)]]
          : [];
      });
      return [kind, { type: 'array', items: { type: 'object', properties: Object.fromEntries(shown) } }];
    }),
  );
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Data of an account',
    type: 'object',
    required: ['account', 'records'],
    properties: {
      account: { type: 'integer', description: 'Number of the account' },
      records: { type: 'object', description: 'Rows by the kind of their record', additionalProperties: false, properties },
    },
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}

/** The schema of a column; that of a JSON column says nothing. */
function schemaOf(runtimeType: string, columnType: string, isNullable: boolean): object {
  const type = typeOf(runtimeType, columnType);
  if (type === null) return {};
  const format = columnType.startsWith('timestamp') ? { format: 'date-time' } : columnType === 'date' ? { format: 'date' } : {};
  return { type: isNullable ? [type, 'null'] : type, ...format };
}

function typeOf(runtimeType: string, columnType: string): string | null {
  if (columnType.endsWith('[]')) return 'array';
  if (runtimeType === 'Date') return 'string';
  if (runtimeType === 'number') return /int/.test(columnType) ? 'integer' : 'number';
  return runtimeType === 'string' || runtimeType === 'boolean' ? runtimeType : null;
}
