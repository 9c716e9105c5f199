import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readSheetFile } from '../../../src/platform/spreadsheet/reading/read-sheet.ts';
import { workbookFiles, workbookOf, type WorkbookParts, zipOf } from './make-workbook.ts';
import { readBytes, show } from './show-sheet.ts';

const fixture = (name: string) => fileURLToPath(new URL(`fixtures/${name}`, import.meta.url));
const showFixture = async (name: string) => show(await readSheetFile(fixture(name)));
const showBook = async (parts: WorkbookParts) => show(await readBytes(workbookOf(parts)));
/** A workbook of one cell with a number format. */
const showNumber = async (value: number | string, format: string | number, properties = '') => {
  const shown = await showBook({ data: [`<row><c s="0"><v>${value}</v></c></row>`], formats: [format], properties });
  return Array.isArray(shown) ? shown[0][1]['1']?.[0] : shown;
};

describe('files of real programs', () => {
  it.each(['openpyxl.xlsx', 'openpyxl-1904.xlsx'])('%s', async (name) => {
    expect(await showFixture(name)).toEqual([
      [
        'Заявка',
        {
          1: ['Фамилия', 'Дата рождения', 'ИИН', 'Телефон', 'Вес', 'Оплачено', 'Результат', 'Сумма'],
          2: [
            'Әбдіқадырұлы',
            'day 1990-05-17',
            'number 900517300128',
            'number 77010000001',
            'number 70.1',
            'boolean true',
            'time 36:05:00',
            'error #VALUE!',
          ],
          3: ['Қыран', 'day 2026-12-31T09:30', '007', '+7 701 000 00 01', 'number 12', 'boolean false', 'time 1:02:03', 'error #N/A'],
          5: ['Алтын медаль', 'day 2026-12-31', 'Сайт', 'Слева'],
        },
      ],
      ['Судьи', { 3: [null, 'Судья'] }],
    ]);
  });

  const rows = (last: readonly [string, string]) => ({
    1: ['Фамилия', 'Дата', 'Результат', 'Старт', 'День', 'Вес', 'Год'],
    2: ['Сұңқар', 'day 2026-12-31', 'time 0:01:23.456', 'time 9:05:00', 'day 1990-05-17', 'number 70.25', 'day 1990-05-17'],
    3: ['number 140.5', 'Сұңқар!', 'error #DIV/0!', 'boolean true', ...last],
    4: ['Алтын медаль', 'Сайт', 'строка\nвторая _x000D_', 'Вместе', null, 'boolean false', 'number 0.0000001'],
    5: [null, null, null, null, null, null, 'number 123456789012346000000'],
  });

  it.each(['xlsxwriter.xlsx', 'xlsxwriter-1904.xlsx'])('%s', async (name) => {
    expect(await showFixture(name)).toEqual([['Заявка', rows(['number 1', 'number 0'])]]);
  });

  it('libreoffice.xlsx', async () => {
    // LibreOffice calculates the formulas again, and makes a sheet of the chart.
    expect(await showFixture('libreoffice.xlsx')).toEqual([
      ['Заявка', rows(['number 70.25', 'number 33010'])],
      ['График', {}],
    ]);
  });

  it('google.xlsx', async () => {
    expect(await showFixture('google.xlsx')).toEqual([
      [
        'Лист1',
        {
          1: ['Фамилия', 'Дата рождения', 'Телефон', 'Время'],
          2: ['Қыран', 'day 1990-05-17', '+7 701 000 00 01', 'time 12:00:00'],
          3: ['number 12', null, 'number 24', 'number 48'],
        },
      ],
    ]);
  });

  it('prefixed.xlsx', async () => {
    expect(await showFixture('prefixed.xlsx')).toEqual([['Лист1', { 1: ['Имя', 'number 5'], 2: ['Ай', 'day 2026-12-31'] }]]);
  });

  it.each(['libreoffice-utf8.csv', 'libreoffice-utf16.csv'])('%s', async (name) => {
    expect(await showFixture(name)).toEqual([
      [
        null,
        {
          1: ['Фамилия', 'Дата', 'Результат', 'Старт', 'День', 'Вес', 'Год'],
          2: ['Сұңқар', '12/31/2026', '01:23.456', '09:05:00 AM', '05/17/1990', '70.25', '05/17/1990'],
          3: ['140.5', 'Сұңқар!', '#DIV/0!', 'TRUE', '70.25', '33010'],
          4: ['Алтын медаль', 'Сайт', 'строка\nвторая _x000D_', 'Вместе', null, 'FALSE', '0.0000001'],
          5: [null, null, null, null, null, null, '1.23456789012346E+020'],
        },
      ],
    ]);
  });

  it.each([
    ['libreoffice.xls', 'Excel Workbook (.xlsx)'],
    ['libreoffice.ods', 'Excel 2007-365 (.xlsx)'],
  ])('refuses %s with advice', async (name, advice) => {
    expect(await readSheetFile(fixture(name))).toEqual({
      ok: false,
      code: 'unsupported_type',
      message: expect.stringContaining(advice),
    });
  });

  it('refuses a file that is cut anywhere', async () => {
    const bytes = await readFile(fixture('openpyxl.xlsx'));
    for (let length = 4; length < bytes.length; length += 97) {
      expect(await readBytes(bytes.subarray(0, length))).toMatchObject({ ok: false, code: 'sheet_unreadable' });
    }
  });

  it('reads a file with changed bytes as it was, or refuses it', async () => {
    const bytes = await readFile(fixture('google.xlsx'));
    const original = await showFixture('google.xlsx');
    let refused = 0;
    for (let at = 0; at < bytes.length; at += 41) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 0x10;
      const reading = await readBytes(changed);
      if (reading.ok) expect(show(reading)).toEqual(original);
      else refused += 1;
    }
    expect(refused).toBeGreaterThan(100);
  });
});

describe('numbers by their format', () => {
  it.each<[number | string, string | number, string]>([
    [45_000, 'General', 'number 45000'],
    ['1.5E+3', 'General', 'number 1500'],
    ['7.7010000001E10', '0', 'number 77010000001'],
    ['70.099999999999994', '0.0', 'number 70.1'],
    ['0.30000000000000004', 'General', 'number 0.3'],
    [-12.5, '#,##0.00 "дней"', 'number -12.5'],
    [1, '[Red]0;[Blue]-0', 'number 1'],
    [1, '0.00E+00', 'number 1'],
    [1, '[$₸-43F] #,##0', 'number 1'],
    [1, '\\d0', 'number 1'],
    [1, '0_d', 'number 1'],
    [1, '0*d', 'number 1'],
    [1, '0;[h]:mm', 'number 1'],
    [33_010, 14, 'day 1990-05-17'],
    [33_010, 'dd.mm.yyyy;@', 'day 1990-05-17'],
    [33_010, '[$-419]d mmmm yyyy', 'day 1990-05-17'],
    [33_010, 'dd.mm.yyyy\\ \\г\\.', 'day 1990-05-17'],
    [33_010, 'yyyy"г."', 'day 1990-05-17'],
    [33_010, 'mmmm', 'day 1990-05-17'],
    [33_010, 27, 'day 1990-05-17'],
    [33_010.75, 'dd.mm.yyyy', 'day 1990-05-17'],
    [33_010.75, 22, 'day 1990-05-17T18:00'],
    [33_010, 'dd.mm.yyyy hh:mm', 'day 1990-05-17'],
    // A minute that is no whole number of the file's fractions.
    ['33010.520833333299', 'dd.mm.yyyy hh:mm', 'day 1990-05-17T12:30'],
    [1, 'dd.mm.yyyy', 'day 1900-01-01'],
    [59, 'dd.mm.yyyy', 'day 1900-02-28'],
    [60, 'dd.mm.yyyy', 'number 60'],
    [61, 'dd.mm.yyyy', 'day 1900-03-01'],
    [0.5, 'dd.mm.yyyy', 'number 0.5'],
    [-1, 'dd.mm.yyyy', 'number -1'],
    [2_958_465, 'dd.mm.yyyy', 'day 9999-12-31'],
    [2_958_466, 'dd.mm.yyyy', 'number 2958466'],
    [0.5, 20, 'time 12:00:00'],
    [33_010.5, 'h:mm', 'time 12:00:00'],
    [0.5, 'h:mm AM/PM', 'time 12:00:00'],
    [1.5, '[h]:mm:ss', 'time 36:00:00'],
    [1.5, 46, 'time 36:00:00'],
    [1.5, '[mm]:ss', 'time 36:00:00'],
    [83.4564 / 86_400, 'mm:ss.0', 'time 0:01:23.456'],
    [83.4 / 86_400, 47, 'time 0:01:23.400'],
    [0.999_999_999_9, 'h:mm:ss', 'time 0:00:00'],
  ])('%s as %s is %s', async (value, format, shown) => {
    expect(await showNumber(value, format)).toBe(shown);
  });

  it('counts days from 1904 in workbooks that do', async () => {
    const property = 'date1904="1"';
    expect(await showNumber(0, 14, property)).toBe('day 1904-01-01');
    expect(await showNumber(31_548, 14, property)).toBe('day 1990-05-17');
    expect(await showNumber(2_957_003, 14, property)).toBe('day 9999-12-31');
    expect(await showNumber(2_957_004, 14, property)).toBe('number 2957004');
  });

  it('refuses a number that is none', async () => {
    expect(await showNumber('abc', 0)).toBe('sheet_unreadable');
  });
});

describe('cells', () => {
  it('reads formulas by their stored values', async () => {
    expect(
      await showBook({
        data: [
          `<row r="1"><c><f>A2</f><v>5</v></c><c t="str"><f>A2</f><v>Ай</v></c><c t="str"><f>A2</f><v></v></c><c><f>A2</f></c><c><f>A2</f><v/></c><c t="e"><f>A2</f><v>#REF!</v></c></row>`,
        ],
      }),
    ).toEqual([['Sheet1', { 1: ['number 5', 'Ай', null, 'error #VALUE!', 'error #VALUE!', 'error #REF!'] }]]);
  });

  it('joins the parts of a text, without the readings above it', async () => {
    expect(
      await showBook({
        strings: '<si><r><t>Ал</t></r><r><rPr><b/></rPr><t xml:space="preserve">тын </t></r><rPh sb="0" eb="1"><t>чтение</t></rPh></si>',
        data: [
          '<row><c t="s"><v>0</v></c><c t="inlineStr"><is><r><t>Кү</t></r><r><t>міс</t></r></is></c><c t="inlineStr"><is><t>a_x000D__x005F_x0041_&amp;&#1040;</t></is></c></row>',
        ],
      }),
    ).toEqual([['Sheet1', { 1: ['Алтын', 'Күміс', 'a\n_x0041_&А'] }]]);
  });

  it('normalizes texts', async () => {
    const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;
    expect(
      await showBook({
        data: [
          `<row>${cell('\u00a0 и\u0306од\u3000\u200b')}${cell('\u202a+7 701\u202c')}${cell(' \u00a0\ufeff')}${cell('a\u00a0 b')}${cell('_x0000__xD800_x')}</row>`,
        ],
      }),
    ).toEqual([['Sheet1', { 1: ['йод', '+7 701', null, 'a\u00a0 b', '\ufffdx'] }]]);
  });

  it('keeps the first value of merged cells, and leaves out rows that have none other', async () => {
    const row = (number: number) => `<row r="${number}"><c r="A${number}"><v>1</v></c><c r="B${number}"><v>2</v></c></row>`;
    expect(
      await showBook({
        data: [`${row(1)}${row(2)}${row(3)}${row(7)}`],
        behind: '<mergeCells><mergeCell ref="A1:B1"/><mergeCell ref="B2:B3"/><mergeCell ref="A4:XFD7"/></mergeCells>',
      }),
    ).toEqual([['Sheet1', { 1: ['number 1'], 2: ['number 1', 'number 2'], 3: ['number 1'] }]]);
  });

  it('reads rows and cells without addresses, and a dimension that is wrong', async () => {
    expect(
      await showBook({
        sheetXml:
          '<worksheet><dimension ref="A1:XFD1048576"/><sheetData><row><c><v>1</v></c><c r="D1"><v>2</v></c><c><v>3</v></c></row><row r="5"/><row><c t="b"><v>1</v></c></row></sheetData></worksheet>',
      }),
    ).toEqual([['Sheet1', { 1: ['number 1', null, null, 'number 2', 'number 3'], 6: ['boolean true'] }]]);
  });

  it('refuses a reference to a text that does not exist', async () => {
    for (const index of ['1', '-1', 'x', '0.5']) {
      expect(await showBook({ strings: '<si><t>a</t></si>', data: [`<row><c t="s"><v>${index}</v></c></row>`] })).toBe('sheet_unreadable');
    }
  });
});

describe('workbooks', () => {
  it('leaves out hidden sheets and does not unpack them', async () => {
    const data = ['<row><c><v>1</v></c></row>', '<no xml', '<no xml'];
    expect(await showBook({ data, states: ['visible', 'hidden', 'veryHidden'] })).toEqual([['Sheet1', { 1: ['number 1'] }]]);
  });

  it('reads XML in UTF-16', async () => {
    const files = workbookFiles({ data: ['<row><c t="inlineStr"><is><t>Қыран</t></is></c></row>'] });
    const wide = files.map((file) =>
      file.name.endsWith('sheet1.xml')
        ? { ...file, content: Buffer.from(`\ufeff${String(file.content).replace('UTF-8', 'UTF-16')}`, 'utf16le') }
        : file,
    );
    expect(show(await readBytes(zipOf(wide)))).toEqual([['Sheet1', { 1: ['Қыран'] }]]);
  });

  it('reads the largest allowed sheet', async () => {
    const row = (_: unknown, index: number) => `<row r="${index + 1}"><c t="str"><v>${'x'.repeat(1000)}</v></c></row>`;
    const reading = await readBytes(workbookOf({ data: [Array.from({ length: 2100 }, row).join('')] }));
    expect(reading).toMatchObject({ ok: true });
    expect(await showBook({ data: [Array.from({ length: 2101 }, row).join('')] })).toBe('sheet_too_large');
    expect(await showBook({ data: [`<row><c r="CV1"><v>1</v></c></row>`] })).not.toBe('sheet_too_large');
    expect(await showBook({ data: [`<row><c r="CW1"><v>1</v></c></row>`] })).toBe('sheet_too_large');
    expect(await showBook({ data: [`<row><c t="str"><v>${'x'.repeat(3000)} </v></c></row>`] })).not.toBe('sheet_too_large');
  });

  it('names the cell that is too long', async () => {
    expect(await readBytes(workbookOf({ data: [`<row r="5"><c r="C5" t="str"><v>${'x'.repeat(3001)}</v></c></row>`] }))).toEqual({
      ok: false,
      code: 'sheet_too_large',
      message: 'C5: A cell has more than 3,000 characters. Shorten its text.',
    });
  });
});
