import exceljs, { type Workbook } from 'exceljs';
import { buffer } from 'node:stream/consumers';
import { type Sheet, streamSpreadsheet } from '../../../src/platform/spreadsheet/stream-spreadsheet.ts';
import { waitFor } from '../../support/wait-for.ts';

const at = new Date('2026-06-01T00:00:00Z');
const columns = [
  { title: 'Имя', holds: 'text', width: 20 },
  { title: 'Туған күні', holds: 'day', width: 12 },
] as const;

const wide = 'Әбдіқадырұлы Ғалым '.repeat(20);
let given = 0;
let isOver = false;
/** Pages of rows that do not compress. */
async function* endless() {
  try {
    for (;;) {
      given += 1;
      yield Array.from({ length: 200 }, (_, row) => [`${wide}${row}${Math.random()}`, '2000-02-29'] as const);
      // Like a database: it lets the work on the previous page run first.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  } finally {
    isOver = true;
  }
}

async function open(sheets: readonly Sheet[]): Promise<Workbook> {
  const book = new exceljs.Workbook();
  // The library's types are of an older Node.
  await book.xlsx.load((await buffer(await streamSpreadsheet(sheets, at))) as never);
  return book;
}

test('every text is a text cell, and every day a date cell', async () => {
  const texts = ['=1+1', '+7 701', '-5', '@sum', "=cmd|' /C calc'!A0", '<b>&"', 'a\u0001b\uffff', 'Ұлы Қыран', '007', 'x'.repeat(40_000)];
  const sheet: Sheet = {
    name: 'А',
    columns,
    async *pages() {
      yield texts.map((text) => [text, '1990-05-17']);
      yield [[null, null]];
    },
  };
  const [page] = (await open([sheet])).worksheets;
  const cells = texts.map((_, index) => page?.getCell(index + 2, 1));
  expect(cells.map((cell) => cell?.value)).toEqual([...texts.slice(0, 6), 'ab', ...texts.slice(7, 9), 'x'.repeat(32_767)]);
  expect(cells.map((cell) => [cell?.formula, cell?.numFmt])).toEqual(texts.map(() => [undefined, '@']));
  expect([page?.getCell(2, 2).value, page?.getCell(2, 2).numFmt]).toEqual([new Date('1990-05-17T00:00:00Z'), 'dd.mm.yyyy']);
  expect([page?.getCell(1, 1).value, page?.getCell(1, 2).value, page?.getCell(12, 1).value]).toEqual(['Имя', 'Туған күні', null]);
});

test('start numbers of digits are numbers, each header filters, and the file opens on the first sheet with rows', async () => {
  const numbers = ['10', '9', '0', '007', '12A', '1234567890'];
  const sheetOf = (name: string, rows: string[]): Sheet => ({
    name,
    columns: [{ title: '№', holds: 'number', width: 10 }, ...columns],
    async *pages() {
      if (rows.length > 0) yield rows.map((cell) => [cell, null, null]);
    },
  });
  const book = await open([sheetOf('А', []), sheetOf('Б', numbers), sheetOf('В', ['1'])]);
  const page = book.worksheets[1];
  expect(numbers.map((_, index) => page?.getCell(index + 2, 1).value)).toEqual([10, 9, 0, '007', '12A', '1234567890']);
  expect(book.worksheets.map(({ autoFilter }) => autoFilter)).toEqual(['A1:C1', 'A1:C1', 'A1:C1']);
  expect(book.views[0]?.activeTab).toBe(1);
});

test('a long name wraps within its cell, and a printed page is as wide as the sheet', async () => {
  const sheet: Sheet = {
    name: 'А',
    columns,
    async *pages() {
      yield [
        ['Құрманғазыұлы '.repeat(7).trim(), null],
        ['Щ'.repeat(100), null],
        ['28.11.2026', null],
      ];
    },
  };
  const [page] = (await open([sheet])).worksheets;
  expect([page?.getCell(1, 1), page?.getCell(2, 1)].map((cell) => cell?.alignment?.wrapText)).toEqual([true, true]);
  // 20 digits hold one of the words, and eleven of the widest capitals.
  expect([2, 3, 4].map((row) => page?.getRow(row).height)).toEqual([7 * 15, 9 * 15, 15]);
  expect(page?.pageSetup).toMatchObject({ fitToPage: true, fitToWidth: 1, fitToHeight: 0, orientation: 'landscape' });
});

test('a sheet without rows has its header row', async () => {
  const empty = (name: string): Sheet => ({ name, columns, async *pages() {} });
  const book = await open([empty('А'), empty('Б')]);
  expect(book.worksheets.map((sheet) => [sheet.name, sheet.getCell(1, 1).value, sheet.actualRowCount])).toEqual([
    ['А', 'Имя', 1],
    ['Б', 'Имя', 1],
  ]);
});

test('the source is not read while the reader pauses or after it has closed', async () => {
  const output = await streamSpreadsheet([{ name: 'А', columns, pages: endless }], at);
  let seen = -1;
  const rested = async () => {
    const before = seen;
    seen = given;
    return before === seen && seen > 0;
  };
  await waitFor(rested, (isAtRest) => isAtRest, 'the reading of rows to rest');
  const last = given;
  expect([last < 100, isOver]).toEqual([true, false]);
  output.destroy();
  await waitFor(
    () => isOver,
    (is) => is,
    'the reading of rows to end',
  );
  expect(given).toBe(last);
});

test('a failure aborts the file', async () => {
  const broken: Sheet = {
    name: 'А',
    columns,
    async *pages() {
      yield [['row', null]];
      throw new Error('the database is unavailable');
    },
  };
  await expect(buffer(await streamSpreadsheet([broken], at))).rejects.toThrow('the database is unavailable');
});
