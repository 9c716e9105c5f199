import { mergedAreaOf, type MergedArea, placeOf, withoutCovered } from './merged-cells.ts';
import type { NumberUse } from './number-format.ts';
import { readXml } from './read-xml.ts';
import { SheetRefusedError } from './refusal.ts';
import { cellOfNumber } from './serial-number.ts';
import { type CellKind, type SheetCell, type SheetRow } from './sheet-content.ts';
import { rowOf, type SheetLimiter } from './sheet-limiter.ts';
import { TextElements, unescapeText } from './text-elements.ts';

/** Of all programs. */
const lastRow = 1_048_576;
/** Rows and cells with a format and no value, with the filled ones. */
const [maxRows, maxCells] = [100_000, 600_000];
/** A sheet of the largest size has fewer. */
const maxMerged = 20_000;
/** A formula whose program did not store a value has this error, as one that cannot be calculated. */
const noValue = '#VALUE!';

/** What the cells of all sheets refer to. */
export interface WorkbookParts {
  strings: readonly string[];
  uses: readonly NumberUse[];
  since1904: boolean;
}

/**
 * Reads the rows of a sheet.
 * @throws {SheetRefusedError} when the sheet is damaged or exceeds a limit
 */
export async function readWorksheet(chunks: AsyncIterable<Buffer>, parts: WorkbookParts, limiter: SheetLimiter): Promise<SheetRow[]> {
  const reader = new WorksheetReader(parts, limiter);
  await readXml(chunks, reader);
  return withoutCovered(reader.rows, reader.merged);
}

class WorksheetReader {
  readonly rows: SheetRow[] = [];
  readonly merged: MergedArea[] = [];
  readonly #parts: WorkbookParts;
  readonly #limiter: SheetLimiter;
  readonly #inline = new TextElements();
  #isWithinData = false;
  #rowCount = 0;
  #cellCount = 0;
  #row = 0;
  #cells: (SheetCell | null | undefined)[] = [];
  #column = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #isValue = false;
  #hasFormula = false;

  constructor(parts: WorkbookParts, limiter: SheetLimiter) {
    this.#parts = parts;
    this.#limiter = limiter;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'sheetData') this.#isWithinData = true;
    else if (name === 'mergeCell') this.#merge(attributes['ref'] ?? '');
    if (!this.#isWithinData) return;
    if (name === 'c') this.#openCell(attributes);
    else if (name === 'v') this.#isValue = true;
    else if (name === 'f') this.#hasFormula = true;
    else if (name === 'row') this.#openRow(attributes['r']);
    else this.#inline.open(name);
  }

  text(text: string): void {
    if (!this.#isWithinData) return;
    if (this.#isValue) this.#value += text;
    else this.#inline.add(text);
  }

  close(name: string): void {
    if (name === 'sheetData') this.#isWithinData = false;
    if (!this.#isWithinData) return;
    if (name === 'c') this.#closeCell();
    else if (name === 'v') this.#isValue = false;
    else if (name === 'row') this.#closeRow();
    else this.#inline.close(name);
  }

  #merge(reference: string): void {
    if (this.merged.length >= maxMerged) throw new SheetRefusedError('empty_rows');
    this.merged.push(mergedAreaOf(reference));
  }

  #openRow(number: string | undefined): void {
    this.#rowCount += 1;
    if (this.#rowCount > maxRows) throw new SheetRefusedError('empty_rows');
    const row = number === undefined ? this.#row + 1 : Number(number);
    if (!Number.isInteger(row) || row <= this.#row || row > lastRow) throw new SheetRefusedError('unreadable');
    this.#row = row;
    this.#column = -1;
    this.#cells = [];
  }

  #closeRow(): void {
    const row = rowOf(this.#row, this.#cells);
    if (!row) return;
    this.#limiter.countRow();
    this.rows.push(row);
  }

  #openCell({ r: address, t: type = 'n', s: style = '0' }: Readonly<Record<string, string>>): void {
    this.#cellCount += 1;
    if (this.#cellCount > maxCells) throw new SheetRefusedError('empty_rows');
    this.#column = address === undefined ? this.#column + 1 : placeOf(address).column;
    this.#type = type;
    this.#style = Number(style);
    this.#value = '';
    this.#isValue = false;
    this.#hasFormula = false;
    this.#inline.start();
  }

  #closeCell(): void {
    const shown = this.#shown();
    const cell = shown && this.#limiter.cell(shown.kind, shown.text, this.#column, this.#row);
    if (!cell) return;
    // Programs would show one of two values.
    if (this.#cells[this.#column]) throw new SheetRefusedError('unreadable');
    this.#cells[this.#column] = cell;
  }

  /** Returns what the cell shows; null when it is empty. */
  #shown(): SheetCell | null {
    const [type, value] = [this.#type, this.#value];
    if (type === 'inlineStr') return { kind: 'text', text: this.#inline.value };
    // A formula can have an empty text as its value.
    if (type === 'str') return { kind: 'text', text: unescapeText(value) };
    if (value.trim() === '') return this.#hasFormula ? { kind: 'error', text: noValue } : null;
    if (type === 's') return { kind: 'text', text: this.#sharedString(value) };
    if (type === 'b') return { kind: 'boolean', text: value.trim() === '0' ? 'false' : 'true' };
    if (type === 'e') return { kind: 'error', text: unescapeText(value) };
    return type === 'd' ? cellOfIsoDate(value) : this.#numberCell(value);
  }

  #sharedString(index: string): string {
    const text = this.#parts.strings[Number(index)];
    if (text === undefined) throw new SheetRefusedError('unreadable');
    return text;
  }

  #numberCell(value: string): SheetCell {
    const number = Number(value);
    if (!Number.isFinite(number)) throw new SheetRefusedError('unreadable');
    return cellOfNumber(number, this.#parts.uses[this.#style] ?? 'number', this.#parts.since1904);
  }
}

/** The strict form of the format writes days as `2026-12-31T00:00:00`, and times alone. */
function cellOfIsoDate(value: string): SheetCell {
  const [, day, hours = '', minutes = '', seconds = '00'] =
    /^(?:(\d{4}-\d{2}-\d{2})T?)?(?:(\d{2}):(\d{2})(?::(\d{2}))?)?(?:\.\d+)?Z?$/.exec(value.trim()) ?? [];
  const kind: CellKind = day === undefined ? (hours === '' ? 'text' : 'time') : 'day';
  if (kind === 'text') return { kind, text: value };
  if (kind === 'time') return { kind, text: `${Number(hours)}:${minutes}:${seconds}` };
  const hasTime = hours !== '' && `${hours}${minutes}` !== '0000';
  return { kind, text: hasTime ? `${day}T${hours}:${minutes}` : `${day}` };
}
