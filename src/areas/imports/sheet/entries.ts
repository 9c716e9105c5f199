import { columnName } from '../../../platform/spreadsheet/reading/cells.ts';
import type { SheetCell, SheetContent, SheetRow } from '../../../platform/spreadsheet/reading/sheet-content.ts';
import { type Certainty, columnOf, type ImportColumn } from './columns.ts';

/** A cell of a row, also an empty one below a title. */
export interface EntryCell {
  /** Address: `C5`. */
  cell: string;
  /** Title in the sheet. */
  column: string;
  value: SheetCell | null;
}

/** A row of a sheet below the titles. */
export interface Entry {
  /** Name of the sheet; null in a CSV. */
  sheet: string | null;
  /** As programs show it, from 1. */
  row: number;
  /** By field; fields without a column are absent. */
  cells: Readonly<Record<string, EntryCell>>;
  /** The row of the file that has the same record; null for the first one. */
  repeats: { sheet: string | null; row: number } | null;
}

/** What a file says. */
export interface ReadEntries {
  entries: Entry[];
  /** Titles of columns that are not read. */
  ignoredColumns: string[];
}

/** A file that cannot be read as this list. */
export interface UnreadableList {
  problem: 'columns_missing' | 'column_repeated' | 'no_rows' | 'too_many_rows';
  message: string;
}

/** Maximum rows of a file. */
export const mostRows = 2_000;
/** Filled rows before the titles: the name of the list, the date. */
const rowsBeforeTitles = 20;

interface Layout {
  columns: readonly ImportColumn[];
  /** Columns by one of which a row is recognized. */
  identifying: readonly string[];
  /** Returns what tells the record of a row from others, as written; null when the row does not say it. */
  keyOf(entry: Pick<Entry, 'cells'>): string | null;
}

interface Titles {
  row: number;
  /** Columns of the sheet, from 0. */
  found: readonly { index: number; title: string; column: ImportColumn }[];
  ignored: readonly string[];
}

/**
 * Reads the rows of all sheets that have a row of titles with an identifying column. Pure.
 * @returns the rows in the order of the file, or why there are none
 */
export function readEntries(sheets: readonly SheetContent[], layout: Layout): ReadEntries | UnreadableList {
  const entries: Entry[] = [];
  const ignored = new Set<string>();
  const first = new Map<string, Entry>();
  let hasTitles = false;
  for (const { name, rows } of sheets) {
    const titles = findTitles(rows, layout);
    if (titles === null) continue;
    hasTitles = true;
    const repeated = findRepeated(titles);
    if (repeated !== null) return { problem: 'column_repeated', message: `Two columns are named "${repeated}". Rename or remove one.` };
    for (const title of titles.ignored) ignored.add(title);
    for (const row of rows.filter(({ number }) => number > titles.row)) {
      const cells = cellsOf(row, titles);
      const key = layout.keyOf({ cells });
      const earlier = key === null ? undefined : first.get(key);
      const entry: Entry = { sheet: name, row: row.number, cells, repeats: earlier ? { sheet: earlier.sheet, row: earlier.row } : null };
      if (key !== null && earlier === undefined) first.set(key, entry);
      entries.push(entry);
    }
  }
  if (!hasTitles) return { problem: 'columns_missing', message: missingColumns(layout) };
  if (entries.length === 0) return { problem: 'no_rows', message: 'There are no filled rows below the titles.' };
  if (entries.length > mostRows)
    return { problem: 'too_many_rows', message: `The file has ${entries.length} rows; at most ${mostRows} are read. Divide it.` };
  return { entries, ignoredColumns: [...ignored] };
}

/** Returns the text of a cell; empty for an empty cell and a missing column. */
export function textIn({ cells }: Pick<Entry, 'cells'>, field: string): string {
  return cells[field]?.value?.text ?? '';
}

function missingColumns({ columns, identifying }: Layout): string {
  const titles = identifying.flatMap((field) => columns.find((column) => column.field === field)?.titles ?? []);
  const named = titles.map(({ en, ru, kk }) => `"${en}" ("${ru}", "${kk}")`);
  return `No row has the titles of the columns. One of them must be ${named.join(' or ')}; the template has all.`;
}

/** Returns the first row with an identifying column; null when no row has one. */
function findTitles(rows: readonly SheetRow[], layout: Layout): Titles | null {
  const first = rows.slice(0, rowsBeforeTitles);
  for (const certainties of [
    ['own', 'other'],
    ['own', 'other', 'last'],
  ] as const)
    for (const row of first) {
      const titles = titlesIn(row, layout, certainties);
      if (titles.found.some(({ column }) => layout.identifying.includes(column.field))) return titles;
    }
  return null;
}

/** A less certain title yields to a more certain one of the same column. */
function titlesIn({ number, cells }: SheetRow, { columns }: Layout, certainties: readonly Certainty[]): Titles {
  const filled = cells.flatMap((cell, index) => (cell === null ? [] : [{ index, title: cell.text }]));
  const named: { index: number; title: string; column: ImportColumn }[] = [];
  for (const by of certainties) {
    const taken = new Set(named.map(({ column }) => column));
    for (const { index, title } of filled) {
      const column = columnOf(title, columns, by);
      if (column !== null && !taken.has(column) && !named.some((other) => other.index === index)) named.push({ index, title, column });
    }
  }
  const found = named.filter(({ column }) => column.isRead).toSorted((left, right) => left.index - right.index);
  const ignored = filled.filter(({ index }) => !found.some((one) => one.index === index));
  return { row: number, found, ignored: ignored.map(({ title }) => title) };
}

function findRepeated({ found }: Titles): string | null {
  const again = found.find(({ column }, index) => found.findIndex((other) => other.column === column) < index);
  return again?.title ?? null;
}

function cellsOf({ number, cells }: SheetRow, { found }: Titles): Entry['cells'] {
  return Object.fromEntries(
    found.map(({ index, title, column }) => [
      column.field,
      { cell: `${columnName(index)}${number}`, column: title, value: cells[index] ?? null },
    ]),
  );
}
