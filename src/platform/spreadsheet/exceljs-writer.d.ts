/** The library tells its types for its main module only; this is the class that stands there as `stream.xlsx.WorkbookWriter`. */
declare module 'exceljs/lib/stream/xlsx/workbook-writer.js' {
  import type { stream } from 'exceljs';

  const WorkbookWriter: typeof stream.xlsx.WorkbookWriter;
  export = WorkbookWriter;
}
