import { normalizeText } from './cell-text.ts';
import { cellAddress } from './cells.ts';
import { SheetRefusedError } from './refusal.ts';
import { type CellKind, type SheetCell, sheetLimits, type SheetRow } from './sheet-content.ts';

/** Counts what the sheets of a file hold, and refuses the file at the first cell beyond a limit. */
export class SheetLimiter {
  #rows = 0;
  #cells = 0;
  #textLength = 0;

  /**
   * Returns the cell of a text, or null when it is empty.
   * @param column from 0
   * @param row from 1
   * @throws {SheetRefusedError} when the cell exceeds a limit
   */
  cell(kind: CellKind, raw: string, column: number, row: number): SheetCell | null {
    // Normalizing a longer text would take time for nothing; blanks at its ends do not make a cell too long.
    const text = normalizeText(raw.length > sheetLimits.cellLength ? raw.trim().slice(0, sheetLimits.cellLength * 2) : raw);
    if (text === '') return null;
    const place = cellAddress(column, row);
    if (column >= sheetLimits.columns) throw new SheetRefusedError('columns', place);
    if (text.length > sheetLimits.cellLength) throw new SheetRefusedError('cell', place);
    this.#cells += 1;
    if (this.#cells > sheetLimits.cells) throw new SheetRefusedError('cells');
    this.#textLength += text.length;
    if (this.#textLength > sheetLimits.textLength) throw new SheetRefusedError('text');
    return { kind, text };
  }

  /** @throws {SheetRefusedError} when the file has too many filled rows */
  countRow(): void {
    this.#rows += 1;
    if (this.#rows > sheetLimits.rows) throw new SheetRefusedError('rows');
  }
}

/** Returns a row without nulls at its end; null when no cell is filled. */
export function rowOf(number: number, cells: readonly (SheetCell | null | undefined)[]): SheetRow | null {
  const last = cells.findLastIndex((cell) => cell);
  return last === -1 ? null : { number, cells: Array.from({ length: last + 1 }, (_, column) => cells[column] ?? null) };
}
