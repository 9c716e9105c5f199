import { sheetLimits, type RefusedSheet, type SheetRefusal } from './sheet-content.ts';

const limit = (count: number) => count.toLocaleString('en-US');

/** What is wrong with a file: its code and the advice for its sender. */
const problems = {
  empty: ['file_empty', 'The file is empty. Choose the file again.'],
  not_a_sheet: [
    'unsupported_type',
    'Only XLSX and CSV files are accepted; the content decides, not the name. Open the table in a spreadsheet program and save it as XLSX.',
  ],
  old_workbook: [
    'unsupported_type',
    'The file has the format of Excel 97-2003 (XLS). Open it, choose "Save As", then "Excel Workbook (.xlsx)", and send that file.',
  ],
  binary_workbook: [
    'unsupported_type',
    'The file is a binary workbook (XLSB). Open it, choose "Save As", then "Excel Workbook (.xlsx)", and send that file.',
  ],
  open_document: [
    'unsupported_type',
    'The file is an OpenDocument file. Open it in LibreOffice, choose "Save As", then "Excel 2007-365 (.xlsx)", and send that file.',
  ],
  web_page: [
    'unsupported_type',
    'The file is a web page or XML with the name of a table. Open it in a spreadsheet program, save it as XLSX, and send that file.',
  ],
  unreadable: ['sheet_unreadable', 'The file is damaged or unusual. Open it, save it again as XLSX, and send that file.'],
  quotes: ['sheet_unreadable', 'A quotation mark in the CSV is not closed. Save the table as XLSX, and send that file.'],
  encrypted: [
    'sheet_protected',
    'The file asks for a password. Remove the password (File, Info, Protect Workbook, Encrypt with Password), save the file, and send it again.',
  ],
  macros: ['sheet_has_macros', 'The workbook contains macros. Choose "Save As", then "Excel Workbook (.xlsx)", and send that file.'],
  bytes: [
    'sheet_too_large',
    `The file is larger than ${sheetLimits.bytes / 1024 ** 2} MB. Remove pictures and other sheets, or send the rows in several files.`,
  ],
  unpacked: ['sheet_too_large', 'The workbook is too large when unpacked. Copy the filled cells to a new workbook, and send that file.'],
  rows: ['sheet_too_large', `The file has more than ${limit(sheetLimits.rows)} filled rows. Send the rows in several files.`],
  empty_rows: [
    'sheet_too_large',
    'The file has too many empty rows or cells with a format. Copy the filled cells to a new workbook, and send that file.',
  ],
  columns: ['sheet_too_large', `The file has filled cells beyond column ${limit(sheetLimits.columns)} (CV). Remove these columns.`],
  cells: ['sheet_too_large', `The file has more than ${limit(sheetLimits.cells)} filled cells. Send the rows in several files.`],
  cell: ['sheet_too_large', `A cell has more than ${limit(sheetLimits.cellLength)} characters. Shorten its text.`],
  text: ['sheet_too_large', `The cells have more than ${limit(sheetLimits.textLength)} characters. Send the rows in several files.`],
  sheets: ['sheet_too_large', `The workbook has more than ${sheetLimits.sheets} sheets. Remove sheets that are not needed.`],
  time: ['inspection_timeout', 'The file took too long to read. Send it again; if it is refused again, send the rows in several files.'],
} as const satisfies Record<string, readonly [SheetRefusal, string]>;
export type SheetProblem = keyof typeof problems;

/** @param place where the problem is, such as `C5` on which sheet; it makes the advice exact */
export function refuseSheet(problem: SheetProblem, place?: string): RefusedSheet {
  const [code, advice] = problems[problem];
  return { ok: false, code, message: place === undefined ? advice : `${place}: ${advice}` };
}

/** Ends the reading of a file that is refused. */
export class SheetRefusedError extends Error {
  readonly refusal: RefusedSheet;
  constructor(problem: SheetProblem, place?: string) {
    super(problem);
    this.name = 'SheetRefusedError';
    this.refusal = refuseSheet(problem, place);
  }
}
