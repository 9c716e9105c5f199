import { sql } from 'kysely';
import type { Database } from '../../../platform/database/database.ts';
import { type Account, columnName, type PersonalRecord } from '../../../platform/personal-data.ts';
import { formatDateTime } from '../../../platform/time/date-time.ts';

/** Rows read at a time. */
const chunk = 200;

/** A row as the export shows it, by column name. */
export type ShownRow = Record<string, unknown>;

/** A file of the archive, whose bytes are in storage. */
export interface ArchivedFile {
  /** Path in the archive. */
  path: string;
  storageKey: string;
  /** Null for a file that only its record names. */
  fileId: string | null;
}

/** Whether an export shows something of the rows. */
export function isShown({ columns }: PersonalRecord): boolean {
  return Object.values(columns).some((content) => content === 'personal' || content === 'fact');
}

/** Reads all rows of an account in a table; a large table is read by parts. */
export function readRows(db: Database, { table, isOf }: PersonalRecord, account: Account): AsyncIterable<Record<string, unknown>> {
  const selects = isOf.map((condition) => sql`select * from ${sql.table(table)} where ${condition(account)}`);
  return db
    .selectFrom(sql<Record<string, unknown>>`(${sql.join(selects, sql` union all `)})`.as('rows'))
    .selectAll()
    .stream(chunk);
}

/**
 * Returns what the export shows of a row: facts and personal data, and a path in the archive in place of a stored file.
 * @param keep called for each stored file
 */
export function showRow({ kind, columns }: PersonalRecord, row: Record<string, unknown>, keep: (file: ArchivedFile) => void): ShownRow {
  const shown: ShownRow = {};
  for (const [property, value] of Object.entries(row)) {
    const content = columns[property];
    if (content === 'fact' || content === 'personal') shown[columnName(property)] = value instanceof Date ? formatDateTime(value) : value;
    if (content !== 'file') continue;
    const path = typeof value === 'string' && isStored(row) ? pathOf(kind, property, row) : null;
    shown[columnName(property).replace(/storage_key$/, 'path')] = path;
    if (path !== null) keep({ path, storageKey: String(value), fileId: kind === 'file' ? String(row['id']) : null });
  }
  return shown;
}

/** Uploads and made documents; an archive holds no archive, and no bytes are left of a deleted file. */
function isStored({ mime, deletedAt = null }: Record<string, unknown>): boolean {
  return deletedAt === null && (mime === undefined || extensions.has(mime));
}

const extensions = new Map<unknown, string>([
  ['image/jpeg', 'jpg'],
  ['image/png', 'png'],
  ['image/webp', 'webp'],
  ['application/pdf', 'pdf'],
]);

function pathOf(kind: string, property: string, { id, applicationId, mime = 'application/pdf' }: Record<string, unknown>): string {
  const part = property.replace(/StorageKey$|^storageKey$/, '');
  const name = [kind, id ?? applicationId, part].filter((word) => word !== '').join('-');
  return `files/${name}.${extensions.get(mime)}`;
}
