import { CsvError, parse } from 'csv-parse/sync';
import { withoutApostrophe } from '../stream-csv.ts';
import { SheetRefusedError } from './refusal.ts';
import { type SheetContent, sheetLimits, type SheetRow } from './sheet-content.ts';
import { rowOf, SheetLimiter } from './sheet-limiter.ts';

/** In the order in which one is taken when two fit as well: texts have commas more often than semicolons. */
const delimiters = [';', '\t', ','] as const;
type Delimiter = (typeof delimiters)[number];

/** What shows the delimiter: the first filled rows within these characters. */
const [sampleRows, sampleLength] = [20, 64 * 1024];
/** Rows with the empty ones. */
const maxLines = 100_000;
/** Fields of a row with the empty ones; a spreadsheet has no more columns. */
const maxFields = 16_384;
/** Characters of a row within the limits. */
const maxRowLength = sheetLimits.columns * sheetLimits.cellLength;

/**
 * Reads the text of a CSV; all cells are texts. Drops the apostrophe that the service's own CSV has before texts that look like formulas.
 * @throws {SheetRefusedError} when a limit is exceeded or a quotation mark is not closed
 */
export function readCsv(text: string): SheetContent {
  // Excel writes the delimiter into a first line, and does not show that line as a row.
  const [head = '', named] = /^sep=([;,\t])(?:\r\n|\r|\n|$)/i.exec(text) ?? [];
  const content = text.slice(head.length);
  const delimiter = delimiters.find((candidate) => candidate === named) ?? findDelimiter(content);
  const limiter = new SheetLimiter();
  const rows: SheetRow[] = [];
  let line = 0;
  parseRows(content, delimiter, (fields) => {
    line += 1;
    if (line > maxLines) throw new SheetRefusedError('empty_rows');
    const cells = fields.map((field, column) => (field === '' ? null : limiter.cell('text', withoutApostrophe(field), column, line)));
    const row = rowOf(line, cells);
    if (!row) return;
    limiter.countRow();
    rows.push(row);
  });
  return { name: null, rows };
}

/** Returns the delimiter that gives the most rows of the first ones the same number of cells, and of those the most cells. */
function findDelimiter(text: string): Delimiter {
  const sample = text.slice(0, sampleLength);
  const scores = delimiters.map((delimiter) => ({ delimiter, ...scoreOf(sample, delimiter) }));
  // Sorting is stable: the order of the delimiters decides between equals.
  const [best] = scores.toSorted((a, b) => b.share - a.share || b.width - a.width);
  return best && best.share > 0 ? best.delimiter : ',';
}

function scoreOf(sample: string, delimiter: Delimiter): { share: number; width: number } {
  const widths = new Map<number, number>();
  let count = 0;
  const enough = new Error('enough rows');
  try {
    parseRows(sample, delimiter, (fields) => {
      if (fields.length === 1 && fields[0]?.trim() === '') return;
      count += 1;
      widths.set(fields.length, (widths.get(fields.length) ?? 0) + 1);
      if (count === sampleRows) throw enough;
    });
  } catch (error) {
    if (error !== enough && !(error instanceof SheetRefusedError)) throw error;
    if (error instanceof SheetRefusedError && error.refusal.code === 'sheet_too_large') return { share: 1, width: maxFields };
    // Otherwise the end of the sample is within quotes.
  }
  const [best = [0, 0]] = [...widths].filter(([width]) => width > 1).sort(([widthA, a], [widthB, b]) => b - a || widthB - widthA);
  return { share: best[1] / Math.max(1, count), width: best[0] };
}

/** Calls `onRow` with the fields of each row, empty ones too. */
function parseRows(text: string, delimiter: Delimiter, onRow: (fields: string[]) => void): void {
  try {
    parse(text, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // People write `"Sunkar" club` without doubling the marks.
      relax_quotes: true,
      max_record_size: maxRowLength,
      // The size of a row does not count its empty fields.
      cast: (field, { index }) => {
        if (typeof index === 'number' && index >= maxFields) throw new SheetRefusedError('columns');
        return field;
      },
      on_record: (fields: string[]) => {
        onRow(fields);
        return null;
      },
    });
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new SheetRefusedError(error.code === 'CSV_QUOTE_NOT_CLOSED' || error.code === 'CSV_MAX_RECORD_SIZE' ? 'quotes' : 'unreadable');
  }
}
