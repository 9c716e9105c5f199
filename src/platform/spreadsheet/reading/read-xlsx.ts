import { normalizeText } from './cell-text.ts';
import { readSharedStrings } from './shared-strings.ts';
import type { SheetContent } from './sheet-content.ts';
import { SheetLimiter } from './sheet-limiter.ts';
import { readStyles } from './styles.ts';
import { WorkbookPackage } from './workbook-package.ts';
import { readWorkbook } from './workbook.ts';
import { readWorksheet } from './worksheet.ts';

/**
 * Reads the visible sheets of a workbook.
 *
 * Reads the files of the package itself, in steps and with limits: the reader of exceljs that works in steps finds neither the names nor the
 * hidden state of sheets in files of openpyxl and Google, and the other one unpacks and keeps all, whatever its size.
 * @throws {SheetRefusedError} when the file is refused
 */
export async function readXlsx(bytes: Buffer): Promise<SheetContent[]> {
  const files = await WorkbookPackage.open(bytes);
  const { sheets, stylesPart, stringsPart, since1904 } = await readWorkbook(files);
  const uses = stylesPart === null ? [] : await readStyles(files.read(stylesPart));
  const strings = stringsPart === null ? [] : await readSharedStrings(files.read(stringsPart));
  const limiter = new SheetLimiter();
  const contents: SheetContent[] = [];
  for (const { name, part } of sheets) {
    const rows = await readWorksheet(files.read(part), { strings, uses, since1904 }, limiter);
    contents.push({ name: normalizeText(name), rows });
  }
  return contents;
}
