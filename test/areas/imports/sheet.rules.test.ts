import fc from 'fast-check';
import { participantColumns, participantKey, resultStatusOf } from '../../../src/areas/imports/participants/columns.ts';
import { isLeftOut, registrationColumns, registrationKey } from '../../../src/areas/imports/registrations/columns.ts';
import { columnOf, plainTitle } from '../../../src/areas/imports/sheet/columns.ts';
import { type Entry, mostRows, readEntries } from '../../../src/areas/imports/sheet/entries.ts';
import { mayBeSame } from '../../../src/areas/imports/sheet/names.ts';
import { RowProblems, withAllowed } from '../../../src/areas/imports/sheet/problems.ts';
import type { SheetContent } from '../../../src/platform/spreadsheet/reading/sheet-content.ts';

/** Rules of reading sheets, without a database (IMP-2, IMP-3). */

const columns = registrationColumns([{ code: 'brand', title: 'Марка', required: true }]);
const layout = { columns, identifying: ['name', 'registration_id'], keyOf: registrationKey };
const text = (value: string) => (value === '' ? null : { kind: 'text' as const, text: value });
const sheet = (name: string | null, ...rows: string[][]): SheetContent => ({
  name,
  rows: rows.map((cells, index) => ({ number: index + 1, cells: cells.map(text) })),
});
const read = (...sheets: SheetContent[]) => {
  const found = readEntries(sheets, layout);
  if ('problem' in found) throw new Error(found.message);
  return found;
};

test('recognizes titles in each language, by field, and as people write them', () => {
  for (const title of ['Спортсмен', 'СПОРТШЫ', ' athlete* ', 'name']) expect(columnOf(title, columns)?.field).toBe('name');
  for (const title of ['ФИО:', 'Ф\u0418О', 'driver']) expect(columnOf(title, columns, 'other')?.field).toBe('name');
  expect(columnOf('ФИО', columns)).toBeNull();
  expect(columnOf('vehicle.brand', columns)?.field).toBe('vehicle.brand');
  expect(columnOf('марка', columns)?.field).toBe('vehicle.brand');
  expect(columnOf('Цвет', columns)).toBeNull();
  expect(columnOf(' * ', columns)).toBeNull();
  expect(plainTitle('Ещё \u00a0 раз. ')).toBe('еще раз');
});

test('the title of a vehicle field is before a usual column of the same title', () => {
  const clashing = registrationColumns([{ code: 'class', title: 'Класс', required: false }]);
  expect(columnOf('Класс', clashing)?.field).toBe('vehicle.class');
  expect(columnOf('class', clashing)?.field).toBe('class');
});

test('finds the titles behind other rows, on each sheet, and addresses each cell', () => {
  const found = read(
    sheet('Обложка', ['Список участников']),
    sheet('N2', ['Клуб «Алатау»'], ['', 'ФИО', 'Заметка', 'Класс'], ['1', 'Ли', 'нет', 'N2'], ['2', '', '', 'R5']),
    sheet('R5', ['ФИО'], ['Пак']),
  );
  expect(found.ignoredColumns).toEqual(['Заметка']);
  expect(found.entries).toEqual([
    {
      sheet: 'N2',
      row: 3,
      cells: {
        name: { cell: 'B3', column: 'ФИО', value: text('Ли') },
        class: { cell: 'D3', column: 'Класс', value: text('N2') },
      },
      repeats: null,
    },
    {
      sheet: 'N2',
      row: 4,
      cells: { name: { cell: 'B4', column: 'ФИО', value: null }, class: { cell: 'D4', column: 'Класс', value: text('R5') } },
      repeats: null,
    },
    { sheet: 'R5', row: 2, cells: { name: { cell: 'A2', column: 'ФИО', value: text('Пак') } }, repeats: null },
  ]);
});

test('a less certain title yields to a more certain one, and № is a start number only where nothing else tells athletes', () => {
  expect(read(sheet(null, ['ФИО', 'Athlete', 'Класс'], ['Ким', 'Ли', 'N2']))).toMatchObject({
    entries: [{ cells: { name: { cell: 'B2', value: text('Ли') } } }],
    ignoredColumns: ['ФИО'],
  });
  const results = { columns: participantColumns, identifying: ['licence_number', 'start_number'], keyOf: participantKey };
  const numbered = (...titles: string[]) => readEntries([sheet(null, titles, ['1', 'KZ-N-1', '3'])], results);
  expect(numbered('№', 'Лицензия', 'Место')).toMatchObject({ entries: [{ cells: { licence_number: {} } }], ignoredColumns: ['№'] });
  expect(numbered('№', 'Класс', 'Место')).toMatchObject({ entries: [{ cells: { start_number: { cell: 'A2' } } }], ignoredColumns: [] });
});

test('marks a row that has the same athlete and class as an earlier one, also on another sheet', () => {
  const { entries } = read(
    sheet('a', ['ФИО', 'Класс'], ['Ли', 'N2'], ['ли', 'n2'], ['Ли', 'R5']),
    sheet('b', ['Класс', 'ФИО'], ['N2', 'Ли']),
  );
  expect(entries.map(({ repeats }) => repeats)).toEqual([null, { sheet: 'a', row: 2 }, null, { sheet: 'a', row: 2 }]);
  const problems = new RowProblems(entries[3] as Entry);
  expect(problems.found).toEqual([{ cell: 'A2', column: '', code: 'repeated', message: 'is the same as row 2 of the sheet "a"' }]);
});

test('refuses lists that it cannot read, with what to do', () => {
  const problemOf = (...sheets: SheetContent[]) => {
    const found = readEntries(sheets, layout);
    return 'problem' in found ? found.problem : null;
  };
  expect(problemOf(sheet(null, ['Класс'], ['N2']))).toBe('columns_missing');
  expect(problemOf(sheet(null, ['ФИО', 'Гонщик'], ['Ли', 'Ли']))).toBe('column_repeated');
  expect(problemOf(sheet(null, ['ФИО']))).toBe('no_rows');
  expect(problemOf(sheet(null, ['ФИО'], ...Array.from({ length: mostRows + 1 }, (_, index) => [`Ли ${index}`])))).toBe('too_many_rows');
  expect(problemOf(sheet(null, ['ФИО'], ...Array.from({ length: mostRows }, (_, index) => [`Ли ${index}`])))).toBeNull();
});

test('leaves out a row that names an athlete and nothing else, unless the sheet has no class', () => {
  const [empty, filled] = read(sheet(null, ['ФИО', 'Класс', 'Марка'], ['Ли', '', ''], ['Пак', '', 'Lada'])).entries;
  expect([empty, filled].map((entry) => isLeftOut(entry as Entry))).toEqual([true, false]);
  expect(read(sheet(null, ['ФИО', 'Марка'], ['Ли', ''])).entries.map(isLeftOut)).toEqual([false]);
});

test('reads any sheet without failing, each filled row below the titles once', () => {
  const cell = fc.oneof(fc.constantFrom('', 'ФИО', 'Класс', 'Марка', 'Ли', 'N2'), fc.string({ maxLength: 6 }));
  const sheets = fc.array(fc.array(fc.array(cell, { maxLength: 5 }), { maxLength: 8 }), { maxLength: 3 });
  fc.assert(
    fc.property(sheets, (given) => {
      const contents = given.map((rows, index) => sheet(`s${index}`, ...rows));
      const found = readEntries(contents, layout);
      if ('problem' in found) return;
      const places = found.entries.map((entry) => `${entry.sheet} ${entry.row}`);
      expect(new Set(places).size).toBe(places.length);
      for (const { row, cells } of found.entries)
        for (const { cell: address, value } of Object.values(cells)) {
          expect(address).toMatch(new RegExp(`^[A-E]${row}$`));
          if (value !== null) expect(contents.some(({ rows }) => rows.some((each) => each.cells.includes(value)))).toBe(true);
        }
    }),
  );
});

test('names the first allowed values, and the first problems of a row', () => {
  expect(withAllowed('is wrong', [])).toBe('is wrong');
  expect(withAllowed('is wrong', ['a', 'b'])).toBe('is wrong; allowed: a, b');
  expect(withAllowed('is wrong', ['x'.repeat(300), 'y'])).toMatch(/; allowed: x{300}, y$/);
  expect(
    withAllowed(
      'is wrong',
      Array.from({ length: 50 }, () => 'z'.repeat(100)),
    ),
  ).toMatch(/^is wrong; allowed: z{100}, z{100}, z{100} and 47 more$/);
  const problems = new RowProblems({ sheet: null, row: 5, cells: {}, repeats: null });
  for (let field = 1; field <= 14; field += 1) problems.add(`vehicle.f${field}`, 'required', 'is required');
  expect(problems.list()).toHaveLength(13);
  expect(problems.list().at(-1)).toEqual({ cell: 'A5', column: '', code: 'more', message: 'and 2 more problems in this row' });
});

test('reads the statuses of results, and none in the status of a registration', () => {
  const words = ['DNF', 'Сход', 'дисквалифицирован', 'dq', 'Финишировал', 'мәреге жетті', 'Одобрена', 'maybe'];
  expect(words.map(resultStatusOf)).toEqual(['dnf', 'dnf', 'dsq', 'dsq', 'finished', 'finished', 'none', null]);
  expect(participantKey({ cells: {} })).toBeNull();
});

test('a name may be that of a holder when it has one of its words, or another alphabet', () => {
  expect(mayBeSame('орлов д.', 'орлов денис')).toBe(true);
  expect(mayBeSame('denis orlov', 'орлов денис')).toBe(true);
  expect(mayBeSame('соколов марат', 'орлов денис')).toBe(false);
  expect(mayBeSame('', 'орлов денис')).toBe(true);
});
