/** The library has types only for its main module, which exports this class as `stream.xlsx.WorkbookWriter`. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { stream } from 'exceljs';

  const WorkbookWriter: typeof stream.xlsx.WorkbookWriter;
  export = WorkbookWriter;
}
