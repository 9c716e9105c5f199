import { SheetRefusedError } from './refusal.ts';
import { type SheetRow, sheetLimits } from './sheet-content.ts';
import { rowOf } from './sheet-limiter.ts';

/** Cells that programs show as one; columns from 0, rows from 1, both ends within. */
export interface MergedArea {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

/** @throws {SheetRefusedError} when the reference is no area */
export function mergedAreaOf(reference: string): MergedArea {
  const [first = '', second = first] = reference.split(':');
  const [start, end] = [placeOf(first), placeOf(second)];
  if (end.column < start.column || end.row < start.row) throw new SheetRefusedError('unreadable');
  return { left: start.column, top: start.row, right: end.column, bottom: end.row };
}

/** Returns the column, from 0, and the row, from 1, of an address such as `C5`. */
export function placeOf(address: string): { column: number; row: number } {
  const [, letters = '', row = ''] = /^([A-Z]{1,3})(\d{1,7})$/.exec(address) ?? [];
  if (letters === '') throw new SheetRefusedError('unreadable');
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return { column: column - 1, row: Number(row) };
}

/**
 * Returns rows without the values that merged cells cover: some programs keep them in the file and show only the first.
 * @param rows in order
 */
export function withoutCovered(rows: SheetRow[], areas: readonly MergedArea[]): SheetRow[] {
  if (areas.length === 0) return rows;
  const cells = rows.map((row) => [...row.cells]);
  // Areas do not overlap in a valid file, so that all together have no more cells than the sheet.
  let rest = sheetLimits.rows * sheetLimits.columns;
  for (const { left, top, right, bottom } of areas) {
    for (let index = firstFrom(rows, top); index < rows.length; index += 1) {
      const [row, ofRow] = [rows[index], cells[index]];
      if (!row || !ofRow || row.number > bottom) break;
      const end = Math.min(right + 1, ofRow.length);
      rest -= Math.max(1, end - left);
      if (rest < 0) throw new SheetRefusedError('unreadable');
      const start = row.number === top ? left + 1 : left;
      if (start < end) ofRow.fill(null, start, end);
    }
  }
  return rows.flatMap((row, index) => rowOf(row.number, cells[index] ?? []) ?? []);
}

/** Returns the index of the first row with this number or a greater one. */
function firstFrom(rows: readonly SheetRow[], number: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.number ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
