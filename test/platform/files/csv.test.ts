import fc from 'fast-check';
import { once } from 'node:events';
import { buffer, text } from 'node:stream/consumers';
import { streamCsv } from '../../../src/platform/spreadsheet/stream-csv.ts';
import { waitFor } from '../../support/wait-for.ts';

type Rows = Parameters<typeof streamCsv>[1] extends AsyncIterable<infer Page> ? Page : never;

async function* pagesOf(...pages: Rows[]) {
  yield* pages;
}

/** RFC 4180: `""` in quotes is a quote, everything else is literal. */
function parse(csv: string): string[][] {
  const rows: string[][] = [];
  let [row, cell, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < csv.length; at += 1) {
    const sign = csv[at] ?? '';
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (csv[at + 1] === '"') cell += csv[(at += 1)];
      else isQuoted = false;
    } else if (sign === '"' && cell === '') isQuoted = true;
    else if (sign === ',') {
      row.push(cell);
      cell = '';
    } else if (csv.startsWith('\r\n', at)) {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
      at += 1;
    } else if (sign === '\n' || sign === '\r' || sign === '"') throw new Error(`a lone ${JSON.stringify(sign)} at ${at}`);
    else cell += sign;
  }
  if (row.length > 0 || cell !== '' || isQuoted) throw new Error('the last line does not end');
  return rows;
}

const dangerous = /^[=+\-@\t\r＝＋－＠]/;
/** What has an apostrophe in the file: a reader may drop one of each. */
const marked = /^'*[=+\-@\t\r＝＋－＠]/;
const odd = fc.constantFrom(
  '=1+1',
  '+7 701',
  '-5',
  '@sum',
  '\t=1',
  '"',
  '""',
  ',',
  ';',
  '\n',
  '\r\n',
  '\r',
  ' ',
  "'",
  'Әбдіқадырұлы Ғалым',
  '👩‍🚀',
  '\ufeff',
  '',
);
const cell = fc.oneof(
  odd,
  fc.string({ unit: 'grapheme' }),
  fc.array(odd, { maxLength: 4 }).map((parts) => parts.join('')),
);

test('every cell is read as written, except for an apostrophe before a possible formula', async () => {
  const rowOf = fc.array(cell, { minLength: 3, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(rowOf, fc.array(fc.array(rowOf, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), async (titles, pages) => {
      const csv = await text(streamCsv(titles, pagesOf(...pages)));
      // The decoder removes the byte order mark; the test below checks it.
      const read = parse(csv);
      const harmless = (value: string) => (marked.test(value) ? `'${value}` : value);
      expect(read).toEqual([titles, ...pages.flat()].map((row) => row.map(harmless)));
      expect(read.flat().filter((value) => dangerous.test(value))).toEqual([]);
    }),
  );
});

test('it is UTF-8 with a byte order mark, with empty cells, numbers and booleans unchanged', async () => {
  expect(await buffer(streamCsv(['id', 'Қала'], pagesOf([[1, null]], [[2, true]])))).toEqual(
    Buffer.from('\ufeffid,Қала\r\n1,\r\n2,true\r\n'),
  );
});

test('a semicolon may separate the cells', async () => {
  const rows = [
    ['a;b', 'a,b'],
    [`'=1`, `'a`],
    ['=1', '＝1'],
  ];
  const csv = await text(streamCsv(['one', 'two'], pagesOf(rows), ';'));
  expect(csv).toBe(`one;two\r\n"a;b";a,b\r\n''=1;'a\r\n'=1;'＝1\r\n`);
});

test('the source is not read while the reader pauses or after it has closed', async () => {
  let [given, isOver] = [0, false];
  async function* endless() {
    try {
      for (;;) {
        given += 1;
        yield Array.from({ length: 100 }, () => ['x'.repeat(100)]);
      }
    } finally {
      isOver = true;
    }
  }
  const output = streamCsv(['one'], endless());
  await once(output, 'readable');
  expect(String(output.read())).toBe('\ufeffone\r\n');
  let seen = -1;
  await waitFor(
    () => {
      const before = seen;
      seen = given;
      return before === seen && seen > 0;
    },
    (isAtRest) => isAtRest,
    'the reading of rows to rest',
  );
  expect([given < 30, isOver]).toEqual([true, false]);
  output.destroy();
  await waitFor(
    () => isOver,
    (is) => is,
    'the reading of rows to end',
  );
});

test('a failure aborts it', async () => {
  async function* failing() {
    yield [['first']];
    throw new Error('the database is unavailable');
  }
  await expect(text(streamCsv(['one'], failing()))).rejects.toThrow('the database is unavailable');
});
