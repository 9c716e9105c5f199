import { columnName } from '../../../src/platform/spreadsheet/reading/cells.ts';
import type { SheetRefusal } from '../../../src/platform/spreadsheet/reading/sheet-content.ts';
import { workbookFiles, workbookOf, xmlHead, zipOf } from './make-workbook.ts';

const megabytes = 1024 ** 2;
const cell = (column: number, row: number, value = '1') => `<c r="${columnName(column)}${row}"><v>${value}</v></c>`;
const rowsOf = (count: number, make: (row: number) => string) => Array.from({ length: count }, (_, index) => make(index + 1)).join('');
const sheetOf = (content: string) => `${xmlHead}<worksheet xmlns="urn:x">${content}</worksheet>`;
const laughs = Array.from({ length: 9 }, (_, level) => `<!ENTITY l${level + 1} "${`&l${level};`.repeat(10)}">`).join('');
const compoundHead = Buffer.from('d0cf11e0a1b11ae1', 'hex');

export interface HostileFile {
  name: string;
  code: SheetRefusal;
  make(): Buffer;
}

/** Files that attack the reader, each with the answer to its sender. */
export const hostileFiles: readonly HostileFile[] = [
  {
    name: 'a file with macros',
    code: 'sheet_has_macros',
    make: () => workbookOf({ files: [{ name: 'xl/vbaProject.bin', content: 'x' }] }),
  },
  {
    name: 'a file of the type with macros, renamed',
    code: 'sheet_has_macros',
    make: () => workbookOf({ contentType: 'application/vnd.ms-excel.sheet.macroEnabled.main+xml' }),
  },
  {
    name: 'a file with macros of Excel 4',
    code: 'sheet_has_macros',
    make: () => workbookOf({ files: [{ name: 'xl/macrosheets/sheet1.xml', content: '<a/>' }] }),
  },
  {
    name: 'a file with a password',
    code: 'sheet_protected',
    make: () => Buffer.concat([compoundHead, Buffer.alloc(2000), Buffer.from('EncryptedPackage', 'utf16le'), Buffer.alloc(2000)]),
  },
  {
    name: 'a zip with a password',
    code: 'sheet_protected',
    make: () => zipOf(workbookFiles({}).map((file) => ({ ...file, flags: 0x801 }))),
  },
  { name: 'an XLS', code: 'unsupported_type', make: () => Buffer.concat([compoundHead, Buffer.alloc(4000)]) },
  {
    name: 'a zip bomb that declares its size',
    code: 'sheet_too_large',
    make: () => workbookOf({ sheetXml: sheetOf(`<sheetData>${' '.repeat(100 * megabytes)}</sheetData>`) }),
  },
  {
    name: 'a zip bomb of a file that is not read',
    code: 'sheet_too_large',
    make: () => workbookOf({ files: [{ name: 'xl/media/image1.bmp', content: Buffer.alloc(80 * megabytes) }] }),
  },
  {
    name: 'a zip bomb that declares less',
    code: 'sheet_unreadable',
    make: () =>
      workbookOf({
        files: [
          {
            name: 'xl/worksheets/sheet1.xml',
            content: sheetOf(`<sheetData>${' '.repeat(100 * megabytes)}</sheetData>`),
            declaredSize: 1000,
          },
        ],
      }),
  },
  {
    name: 'many bombs that share the limit',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: Array.from({ length: 50 }, () => '<row/>'.repeat(150_000)) }),
  },
  {
    name: 'too many files',
    code: 'sheet_too_large',
    make: () => workbookOf({ files: Array.from({ length: 40_000 }, (_, index) => ({ name: `x/${index}`, content: '' })) }),
  },
  {
    name: 'two files of one name',
    code: 'sheet_unreadable',
    make: () => zipOf([...workbookFiles({}), { name: 'XL/Workbook.xml', content: '<workbook/>' }]),
  },
  {
    name: 'a billion laughs',
    code: 'sheet_unreadable',
    make: () =>
      workbookOf({
        data: [''],
        files: [
          {
            name: 'xl/sharedStrings.xml',
            content: `<?xml version="1.0"?><!DOCTYPE sst [<!ENTITY l0 "lol">${laughs}]><sst><si><t>&l9;</t></si></sst>`,
          },
        ],
        strings: '',
      }),
  },
  {
    name: 'an external entity',
    code: 'sheet_unreadable',
    make: () =>
      workbookOf({
        sheetXml: `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="str"><v>&x;</v></c></row></sheetData></worksheet>`,
      }),
  },
  {
    name: 'an endless document type',
    code: 'sheet_unreadable',
    make: () => workbookOf({ sheetXml: `<?xml version="1.0"?><!DOCTYPE a [${'<!ENTITY x "y">'.repeat(1_500_000)}]><worksheet/>` }),
  },
  {
    name: 'a million empty rows',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [rowsOf(1_048_576, (row) => `<row r="${row}"/>`)] }),
  },
  {
    name: 'a million rows of one cell',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [rowsOf(700_000, (row) => `<row r="${row}"><c><v>1</v></c></row>`)] }),
  },
  {
    name: 'a million empty cells',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [rowsOf(1000, (row) => `<row r="${row}">${'<c s="1"/>'.repeat(2000)}</row>`)] }),
  },
  {
    name: 'a row with 16,384 columns',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [`<row r="1">${Array.from({ length: 16_384 }, (_, column) => cell(column, 1)).join('')}</row>`] }),
  },
  {
    name: 'a last column alone',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [`<row r="1"><c r="XFD1"><v>1</v></c></row>`] }),
  },
  {
    name: 'a column that does not exist',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row r="1"><c r="AAAAAAA1"><v>1</v></c></row>`] }),
  },
  {
    name: 'a row that does not exist',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row r="4294967296"><c><v>1</v></c></row>`] }),
  },
  {
    name: 'rows that go back',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row r="2"><c><v>1</v></c></row><row r="1"><c><v>1</v></c></row>`] }),
  },
  {
    name: 'two values of one cell',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row r="1"><c r="A1"><v>1</v></c><c r="A1"><v>2</v></c></row>`] }),
  },
  {
    name: 'huge shared strings',
    code: 'sheet_too_large',
    make: () => workbookOf({ strings: '<si><t>я</t></si>'.repeat(1_500_000) }),
  },
  {
    name: 'one shared string of many megabytes',
    code: 'sheet_unreadable',
    make: () => workbookOf({ strings: `<si><t>${'я'.repeat(12 * megabytes)}</t></si>` }),
  },
  {
    name: 'long shared strings that nothing uses, and one too many',
    code: 'sheet_too_large',
    make: () => workbookOf({ strings: `<si><t>${'щ'.repeat(2900)}</t></si>`.repeat(5800) }),
  },
  {
    name: 'a shared string that many cells use',
    code: 'sheet_too_large',
    make: () =>
      workbookOf({
        strings: `<si><t>${'щ'.repeat(3000)}</t></si>`,
        data: [rowsOf(2000, (row) => `<row r="${row}">${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`)],
      }),
  },
  {
    name: 'a cell of 32,767 characters',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [`<row><c t="str"><v>${'x'.repeat(32_767)}</v></c></row>`] }),
  },
  {
    name: 'a cell of many parts',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: [`<row><c t="inlineStr"><is>${'<r><t>xxxx</t></r>'.repeat(1_000_000)}</is></c></row>`] }),
  },
  {
    name: 'a text of many megabytes in one cell',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row><c t="str"><v>${'x'.repeat(30 * megabytes)}</v></c></row>`] }),
  },
  {
    name: 'a tag of many megabytes',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: [`<row ${Array.from({ length: 1_000_000 }, (_, index) => `a${index}="1"`).join(' ')}/>`] }),
  },
  {
    name: 'elements within elements',
    code: 'sheet_unreadable',
    make: () => workbookOf({ data: ['<row>'.repeat(1_000_000)] }),
  },
  {
    name: 'merged cells over merged cells',
    code: 'sheet_unreadable',
    make: () =>
      workbookOf({
        data: [rowsOf(2000, (row) => `<row r="${row}">${cell(0, row)}${cell(99, row)}</row>`)],
        behind: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(20_000)}</mergeCells>`,
      }),
  },
  {
    name: 'merged cells without end',
    code: 'sheet_too_large',
    make: () => workbookOf({ behind: `<mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(400_000)}</mergeCells>` }),
  },
  {
    name: 'too many sheets',
    code: 'sheet_too_large',
    make: () => workbookOf({ data: Array.from({ length: 61 }, () => '') }),
  },
  {
    name: 'number formats without end',
    code: 'sheet_too_large',
    make: () =>
      workbookOf({
        files: [{ name: 'xl/styles.xml', content: sheetOf(`<numFmt numFmtId="200" formatCode="${'[h'.repeat(120)}"/>`.repeat(150_000)) }],
      }),
  },
  {
    name: 'a changed byte',
    code: 'sheet_unreadable',
    make: () => zipOf(workbookFiles({}).map((file) => (file.name.endsWith('sheet1.xml') ? { ...file, checksum: 1 } : file))),
  },
  { name: 'a zip within a zip', code: 'unsupported_type', make: () => zipOf([{ name: 'book.xlsx', content: workbookOf({}) }]) },
  { name: 'a CSV of commas', code: 'sheet_too_large', make: () => Buffer.alloc(5 * megabytes, ',') },
  { name: 'a CSV of line ends', code: 'sheet_too_large', make: () => Buffer.alloc(5 * megabytes, '\n') },
  { name: 'a CSV of quotation marks', code: 'sheet_unreadable', make: () => Buffer.alloc(5 * megabytes - 1, '"') },
  { name: 'a CSV of an open quotation mark', code: 'sheet_unreadable', make: () => Buffer.from(`a,"${'b,c\n'.repeat(megabytes)}`) },
  { name: 'a CSV of short rows', code: 'sheet_too_large', make: () => Buffer.from('a;b\n'.repeat(megabytes)) },
  { name: 'a CSV of one long row', code: 'sheet_too_large', make: () => Buffer.from('a;'.repeat(100_000)) },
  { name: 'a CSV of one long cell', code: 'sheet_too_large', make: () => Buffer.from(`a,b\n1,${'x'.repeat(3001)}\n`) },
  { name: 'a file over the limit', code: 'sheet_too_large', make: () => Buffer.alloc(5 * megabytes + 1, 'a') },
  {
    name: 'random bytes',
    code: 'unsupported_type',
    make: () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919) % 256)),
  },
];
