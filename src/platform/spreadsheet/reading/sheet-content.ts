/** What a cell holds, by its value and number format. */
export type CellKind = 'text' | 'number' | 'day' | 'time' | 'boolean' | 'error';

/**
 * A cell as people see it.
 *
 * `text` is in NFC, without blanks of any kind at its ends, and never empty:
 * - `number`: the shortest decimal, never with an exponent (`77010000001`)
 * - `day`: `YYYY-MM-DD`, or `YYYY-MM-DDTHH:MM` with a time of day
 * - `time`: a time of day or a duration, `h:mm:ss` or `h:mm:ss.fff`
 * - `boolean`: `true` or `false`
 * - `error`: as the program shows it, `#REF!`; a formula without a stored value is `#VALUE!`
 */
export interface SheetCell {
  kind: CellKind;
  text: string;
}

/** A row with at least one filled cell. */
export interface SheetRow {
  /** From 1, as programs show it. */
  number: number;
  /** By column, from 0. Null is empty; the last cell is filled. */
  cells: readonly (SheetCell | null)[];
}

/** A visible sheet of a workbook, or a CSV. */
export interface SheetContent {
  /** Null for a CSV. */
  name: string | null;
  /** In order; rows without a filled cell are left out. */
  rows: readonly SheetRow[];
}

/** What a client's file may have. Every file within these limits is read in a second and in 200 MB of memory. */
export const sheetLimits = {
  /** Bytes of the file. */
  bytes: 5 * 1024 * 1024,
  /** Rows with a filled cell, in all visible sheets. */
  rows: 2100,
  /** Columns of a sheet up to the last filled cell. */
  columns: 100,
  /** Filled cells, in all visible sheets. */
  cells: 105_000,
  /** Characters (UTF-16 units) of a cell. */
  cellLength: 3000,
  /** Characters of all cells. */
  textLength: 3_000_000,
  /** Sheets, with hidden ones. */
  sheets: 60,
} as const;

const refusalCodes = [
  'file_empty',
  'unsupported_type',
  'sheet_unreadable',
  'sheet_protected',
  'sheet_has_macros',
  'sheet_too_large',
  'inspection_timeout',
] as const;
export type SheetRefusal = (typeof refusalCodes)[number];

/** A refused file; `message` is for its sender and names what to do. */
export type RefusedSheet = { ok: false; code: SheetRefusal; message: string };

export type SheetReading = { ok: true; sheets: readonly SheetContent[] } | RefusedSheet;
