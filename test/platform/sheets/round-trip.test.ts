import fc from 'fast-check';
import { buffer } from 'node:stream/consumers';
import { csvDelimiters, streamCsv } from '../../../src/platform/spreadsheet/stream-csv.ts';
import { type Sheet, type SheetColumn, streamSpreadsheet } from '../../../src/platform/spreadsheet/stream-spreadsheet.ts';
import { normalizeText } from '../../../src/platform/spreadsheet/reading/cell-text.ts';
import { decimalOf } from '../../../src/platform/spreadsheet/reading/serial-number.ts';
import type { SheetReading } from '../../../src/platform/spreadsheet/reading/sheet-content.ts';
import { readBytes } from './show-sheet.ts';

const days = fc
  .date({ min: new Date('1900-03-01'), max: new Date('2199-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** What a table of the registry holds: letters, and what CSV, XML and formulas give a meaning. */
const texts = fc
  .string({ unit: fc.constantFrom(...'aЯұЙ1 ,;"\'<&>=+-@\n\t\u00a0\u0301\u{1f600}'), maxLength: 12 })
  .filter((text) => !text.includes('_x'));
const money = fc.integer({ min: -1e9, max: 1e9 }).map((tiyn) => (tiyn / 100).toFixed(2));
const value = fc.oneof(fc.integer(), fc.boolean(), fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }));
const cells = { text: texts, day: days, money, number: fc.nat().map(String), value };

const columns: readonly SheetColumn[] = (['text', 'day', 'money', 'number', 'value', 'text'] as const).map((holds, index) => ({
  title: `Колонка ${index + 1}`,
  holds,
  width: 20,
}));
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 4 });
const rows = fc.array(
  fc.tuple(orNull(cells.text), orNull(cells.day), orNull(cells.money), orNull(cells.number), orNull(cells.value), orNull(cells.text)),
  { maxLength: 12 },
);

type Value = string | number | boolean | null;

/** Returns a table as it is read: texts of cells by row and column, without empty ends and rows. */
function contentOf(table: readonly (readonly Value[])[], textOf: (value: string | number | boolean, column: number) => string) {
  return table.flatMap((values, index) => {
    const shown = values.map((one, column) => (one === null ? null : textOf(one, column) || null));
    const last = shown.findLastIndex((text) => text !== null);
    return last === -1 ? [] : [{ number: index + 1, texts: shown.slice(0, last + 1) }];
  });
}

function textsOf(reading: SheetReading) {
  if (!reading.ok) return reading;
  return reading.sheets.map(({ name, rows }) => [
    name,
    rows.map(({ number, cells }) => ({ number, texts: cells.map((cell) => cell?.text ?? null) })),
  ]);
}

const titles = columns.map(({ title }) => title);

test('what the service writes as XLSX reads back', async () => {
  await fc.assert(
    fc.asyncProperty(rows, async (table) => {
      const sheet: Sheet = {
        name: 'Заявки',
        columns,
        async *pages() {
          yield table;
        },
      };
      const reading = await readBytes(await buffer(await streamSpreadsheet([sheet], new Date('2026-06-01'))));
      const read = textsOf(reading);
      const textOf = (one: string | number | boolean, column: number) => {
        const isNumber = typeof one === 'number' || (columns[column]?.holds === 'money' && !titles.includes(String(one)));
        return isNumber ? decimalOf(Number(one)) : normalizeText(String(one));
      };
      expect(read).toEqual([['Заявки', contentOf([titles, ...table], textOf)]]);
    }),
    { numRuns: 60 },
  );
});

test('what the service writes as CSV reads back', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.constantFrom(...csvDelimiters), async (table, delimiter) => {
      async function* pages() {
        yield table;
      }
      const reading = await readBytes(await buffer(streamCsv(titles, pages(), delimiter)));
      const read = textsOf(reading);
      expect(read).toEqual([[null, contentOf([titles, ...table], (one) => normalizeText(String(one)))]]);
    }),
    { numRuns: 200 },
  );
});
