import exceljs from 'exceljs';

export interface Sheet {
  name: string;
  rows: (string | null)[][];
  /** Cells that a spreadsheet program would compute. */
  formulas: string[];
}

/** Reads an XLSX as its reader sees it; days are `YYYY-MM-DD`. */
export async function readWorkbook(bytes: Buffer): Promise<Sheet[]> {
  const book = new exceljs.Workbook();
  // The library asks for the buffer of an older Node.js.
  await book.xlsx.load(bytes as never);
  return book.worksheets.map((sheet) => {
    const rows: (string | null)[][] = [];
    const formulas: string[] = [];
    const width = sheet.columnCount;
    sheet.eachRow({ includeEmpty: true }, (row) => {
      rows.push(
        Array.from({ length: width }, (_, index) => {
          const cell = row.getCell(index + 1);
          if (cell.formula) formulas.push(cell.formula);
          return textOf(cell.value);
        }),
      );
    });
    return { name: sheet.name, rows, formulas };
  });
}

function textOf(value: exceljs.CellValue): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString().slice(0, 10);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
