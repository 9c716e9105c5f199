import contentDisposition from 'content-disposition';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { body } from '../../http/response/reply.ts';
import { csvDelimiters, csvMime, streamCsv } from '../../platform/spreadsheet/stream-csv.ts';
import { type Sheet, type SheetColumn, streamSpreadsheet, xlsxMime } from '../../platform/spreadsheet/stream-spreadsheet.ts';
import { dayOf } from '../../platform/time/date-time.ts';

/** Rows of one statement: about ten milliseconds of work between two checks whether the client still reads. */
export const exportPageSize = 500;

export type Cell = string | number | boolean | null;

export interface ExportColumn<Row> extends SheetColumn {
  valueOf(row: Row): Cell;
}

export const exportFormats = ['csv', 'xlsx'] as const;
/** `delimiter`: of a CSV. */
export interface ExportShape {
  format: (typeof exportFormats)[number];
  delimiter: (typeof csvDelimiters)[number];
}

/** The part of a query that chooses the file, for use in `z.strictObject`. */
export const exportShape = {
  format: z.enum(exportFormats).default('csv'),
  delimiter: z.enum(csvDelimiters).default(',').describe('Of a CSV; Excel expects `;` where the comma separates decimals'),
};

export const exportMimes = [csvMime, xlsxMime];

/** What a reader of the file must know, for the description of a route. */
export const exportRules =
  'The CSV is UTF-8 with a byte order mark and a header line. In it an apostrophe precedes a cell that begins with `=`, `+`, `-`, `@`, their wide forms, a tab or a carriage return, also behind apostrophes of its own; so a phone with a `+` has one. Who reads it drops one apostrophe before these. The XLSX has no apostrophes. The hourly limit of exports does not count either. An interrupted download is incomplete.';

/** Streams rows as a CSV or an XLSX (ADM-6). @param name of the only sheet */
export function streamRows<Row>(
  name: Sheet['name'],
  columns: readonly ExportColumn<Row>[],
  pages: AsyncIterable<readonly Row[]>,
  { format, delimiter }: ExportShape,
  now: Date,
): Promise<Readable> | Readable {
  const cells = () => cellsOf(columns, pages);
  if (format === 'xlsx') return streamSpreadsheet([{ name, columns, pages: cells }], now);
  return streamCsv(
    columns.map(({ title }) => title),
    cells(),
    delimiter,
  );
}

async function* cellsOf<Row>(columns: readonly ExportColumn<Row>[], pages: AsyncIterable<readonly Row[]>): AsyncGenerator<Cell[][]> {
  for await (const rows of pages) yield rows.map((row) => columns.map((column) => column.valueOf(row)));
}

/** Answers with the file. @param name without its extension and day */
export function sendExport(file: Readable, name: string, format: ExportShape['format'], now: Date) {
  return body(file, {
    'Content-Type': format === 'xlsx' ? xlsxMime : `${csvMime}; charset=utf-8; header=present`,
    'Content-Disposition': contentDisposition(`${name}-${dayOf(now)}.${format}`, { type: 'attachment' }),
    // Caches must not store names, phones and addresses.
    'Cache-Control': 'no-store',
  });
}
