import type { stream } from 'exceljs';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';

/** A column. `day`: cells are `YYYY-MM-DD` and become dates; `money`: decimals, become numbers; `value`: numbers and booleans. */
export interface SheetColumn {
  title: string;
  holds: 'text' | 'day' | 'money' | 'value';
  /** In characters. */
  width: number;
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
const formats: Record<SheetColumn['holds'], string> = { text: '@', day: 'dd.mm.yyyy', money: '#,##0.00', value: 'General' };
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
  for (const { name, columns, pages } of sheets) {
    const sheet = workbook.addWorksheet(name, { views: [{ state: 'frozen', ySplit: 1 }] });
    sheet.columns = columns.map(({ width, holds }) => ({ width, style: { numFmt: formats[holds] } }));
    const header = sheet.addRow(columns.map(({ title }) => textOf(title)));
    header.font = headerFont;
    header.commit();
    for await (const rows of pages()) {
      for (const row of rows) sheet.addRow(row.map((cell, index) => (cell === null ? null : valueOf(cell, columns[index])))).commit();
      await drained(output);
      // The client disconnected; the library would wait for it without end.
      if (output.destroyed) return;
    }
    sheet.commit();
  }
  await workbook.commit();
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
  return column?.holds === 'money' ? Number(cell) : textOf(cell);
}

/** Removes characters that XML forbids; the library would write an unreadable file. */
function textOf(text: string): string {
  return text
    .slice(0, maxCellLength)
    .toWellFormed()
    .replace(/[\ufffe\uffff]/g, '');
}
