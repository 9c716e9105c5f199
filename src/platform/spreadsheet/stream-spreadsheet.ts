import type { DataValidation, stream, Worksheet } from 'exceljs';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { columnName } from './reading/cells.ts';

/**
 * A column. `day`: cells are `YYYY-MM-DD` and become dates; `money`: decimals, become numbers; `number`: texts, those of digits become
 * numbers, so that 10 sorts behind 9; `value`: numbers and booleans.
 */
export interface SheetColumn {
  title: string;
  holds: 'text' | 'day' | 'money' | 'number' | 'value';
  /** In characters. */
  width: number;
  /** What programs offer for its cells; other values can be typed too. */
  choices?: readonly string[];
}

export interface Sheet {
  /** One of `sheetNames`. */
  name: string;
  columns: readonly SheetColumn[];
  /** Pages of rows, read one at a time. Null leaves a cell empty. */
  pages(): AsyncIterable<readonly (readonly (string | number | boolean | null)[])[]>;
}

export const xlsxMime = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Maximum characters of a cell. */
const maxCellLength = 32_767;
/** Cells with the text format stay text after an edit. */
const formats: Record<SheetColumn['holds'], string> = {
  text: '@',
  day: 'dd.mm.yyyy',
  money: '#,##0.00',
  number: 'General',
  value: 'General',
};
/** A long name continues on the next line of its cell instead of ending at the neighbour's. */
const alignment = { vertical: 'top', wrapText: true } as const;
/** A4, as wide as the sheet and as long as it needs. */
const pageSetup = { paperSize: 9, orientation: 'landscape', fitToPage: true, fitToWidth: 1, fitToHeight: 0 } as const;
/** Rows below the titles that offer the choices. */
const rowsWithChoices = 2_000;
/** Sheet with the choices; programs hide it. */
const choicesSheet = 'lists';
/** Font of the other rows, in bold; programs choose missing properties themselves. */
const headerFont = { name: 'Calibri', family: 2, size: 11, bold: true };

/**
 * Streams an XLSX with one page of rows in memory. Texts never become formulas.
 *
 * Reads the next page after the client has received the previous one, and stops when it disconnects. A failure destroys the stream, so that
 * the client does not mistake a part for the whole.
 * @param sheets at least one
 * @param at creation time in the file
 */
export async function streamSpreadsheet(sheets: readonly Sheet[], at: Date): Promise<Readable> {
  // Load only the writer, at the first export: the whole library takes a quarter of a second and 40 MB.
  const { default: WorkbookWriter } = await import('exceljs/lib/stream/xlsx/workbook-writer.js');
  const output = new PassThrough();
  const workbook = new WorkbookWriter({ stream: output, useStyles: true, useSharedStrings: false });
  workbook.creator = 'Federation registry';
  workbook.lastModifiedBy = workbook.creator;
  workbook.created = at;
  workbook.modified = at;
  writeSheets(workbook, sheets, output).catch((error: unknown) =>
    output.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return output;
}

async function writeSheets(workbook: stream.xlsx.WorkbookWriter, sheets: readonly Sheet[], output: PassThrough): Promise<void> {
  let firstFilled: number | null = null;
  const lists = sheets.flatMap(({ columns }) => columns.flatMap(({ choices = [] }) => (choices.length > 0 ? [choices] : [])));
  for (const [index, { name, columns, pages }] of sheets.entries()) {
    const sheet = workbook.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }], pageSetup });
    sheet.autoFilter = { from: { row: 1, column: 1 }, to: { row: 1, column: columns.length } };
    sheet.columns = columns.map(({ width, holds }) => ({ width, style: { numFmt: formats[holds], alignment } }));
    const header = sheet.addRow(columns.map(({ title }) => textOf(title)));
    header.font = headerFont;
    header.height = heightOf(
      columns.map(({ title }) => title),
      columns,
    );
    header.commit();
    offerChoices(sheet, columns, lists);
    for await (const rows of pages()) {
      if (rows.length > 0) firstFilled ??= index;
      for (const cells of rows) {
        const row = sheet.addRow(cells.map((cell, at) => (cell === null ? null : valueOf(cell, columns[at]))));
        row.height = heightOf(cells, columns);
        row.commit();
      }
      await drained(output);
      // The client disconnected; the library would wait for it without end.
      if (output.destroyed) return;
    }
    sheet.commit();
  }
  if (lists.length > 0) writeLists(workbook, lists);
  // Programs open the file on this sheet.
  workbook.views = [{ x: 0, y: 0, width: 20_000, height: 12_000, firstSheet: 0, activeTab: firstFilled ?? 0, visibility: 'visible' }];
  await workbook.commit();
}

/** Offers choices from the sheet of lists: a list within the cell has at most 255 characters, and no commas. */
function offerChoices(
  sheet: Worksheet & { dataValidations?: { add(range: string, validation: DataValidation): void } },
  columns: readonly SheetColumn[],
  lists: readonly (readonly string[])[],
): void {
  for (const [index, { choices = [] }] of columns.entries()) {
    const list = lists.indexOf(choices);
    if (list < 0) continue;
    const [column, place] = [columnName(index), columnName(list)];
    // Missing in the library's types.
    sheet.dataValidations?.add(`${column}2:${column}${rowsWithChoices + 1}`, {
      type: 'list',
      allowBlank: true,
      showErrorMessage: false,
      formulae: [`${choicesSheet}!$${place}$1:$${place}$${choices.length}`],
    });
  }
}

function writeLists(workbook: stream.xlsx.WorkbookWriter, lists: readonly (readonly string[])[]): void {
  const sheet = workbook.addWorksheet(choicesSheet, { state: 'veryHidden' });
  const longest = Math.max(...lists.map(({ length }) => length));
  for (let index = 0; index < longest; index += 1) {
    const row = sheet.addRow(lists.map(({ [index]: choice }) => (choice === undefined ? null : textOf(choice))));
    row.commit();
  }
  sheet.commit();
}

/** Waits while the output is full, because the library buffers without limit (exceljs#734). */
async function drained(output: PassThrough): Promise<void> {
  if (!output.writableNeedDrain || output.destroyed) return;
  const done = new AbortController();
  try {
    await Promise.race(['drain', 'close'].map((event) => once(output, event, { signal: done.signal }).catch(() => undefined)));
  } finally {
    done.abort();
  }
}

function valueOf(cell: string | number | boolean, column: SheetColumn | undefined): string | number | boolean | Date {
  if (typeof cell !== 'string') return cell;
  if (column?.holds === 'day') return new Date(`${cell}T00:00:00Z`);
  if (column?.holds === 'number' && /^(?:0|[1-9]\d{0,8})$/.test(cell)) return Number(cell);
  return column?.holds === 'money' ? Number(cell) : textOf(cell);
}

/** Height of a line, points; a row has at most 409. */
const [lineHeight, mostLines] = [15, 27];
/** Upper estimates of widths, in the digits of a column's width. */
const [capitalWidth, letterWidth] = [1.8, 1.2];

/** Returns the height for the longest text of a row, points: programs do not adjust it by themselves. */
function heightOf(cells: readonly (string | number | boolean | null)[], columns: readonly SheetColumn[]): number {
  const lines = cells.map((cell, index) => (typeof cell === 'string' ? countLines(cell, columns[index]) : 1));
  return Math.min(mostLines, Math.max(1, ...lines)) * lineHeight;
}

/** Estimates the lines of a text that wraps at its blanks, and within words that are wider than the column. */
function countLines(text: string, column: SheetColumn | undefined): number {
  if (!column || column.holds !== 'text' || text.length * capitalWidth <= column.width) return 1;
  let [lines, used] = [1, 0];
  for (const word of text.slice(0, column.width * mostLines).split(/\s/)) {
    const small = word.match(/\p{Ll}/gu)?.length ?? 0;
    const narrow = word.match(/[\d\p{P}]/gu)?.length ?? 0;
    const width = (word.length - small - narrow) * capitalWidth + small * letterWidth + narrow;
    if (used > 0 && used + 1 + width > column.width) [lines, used] = [lines + 1, 0];
    used += (used > 0 ? 1 : 0) + width;
    lines += Math.max(0, Math.ceil(used / column.width) - 1);
    used = used > column.width ? used % column.width : used;
  }
  return lines;
}

/** Removes characters that XML forbids; the library would write an unreadable file. */
function textOf(text: string): string {
  return text
    .slice(0, maxCellLength)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '');
}
