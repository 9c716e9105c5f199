import { readBytes, show } from './show-sheet.ts';

const showCsv = async (content: string | Buffer) => show(await readBytes(content));
const sheet = (rows: Record<number, readonly (string | null)[]>) => [[null, rows]];
/** Cyrillic capital and small letters are in one row of windows-1251. */
const windows1251 = (text: string) =>
  Buffer.from(Array.from(text, (letter) => (letter >= 'А' && letter <= 'я' ? letter.charCodeAt(0) - 0x410 + 0xc0 : letter.charCodeAt(0))));
const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

const rows = { 1: ['Имя', 'Дата', 'Вес'], 2: ['Иванов, Иван', '31.12.2026', '70,5'], 3: ['Әлия', '01.02.2026', '60'] };
const written = 'Имя;Дата;Вес\r\nИванов, Иван;31.12.2026;70,5\r\nӘлия;01.02.2026;60\r\n';

test.each<[string, string | Buffer]>([
  ['UTF-8', written],
  ['UTF-8 with a mark', `\ufeff${written}`],
  ['UTF-16LE', Buffer.from(`\ufeff${written}`, 'utf16le')],
  ['UTF-16BE', utf16be(written)],
  ['tabs', written.replaceAll(';', '\t')],
  ['commas', written.replaceAll(/[^;\r\n]+/g, '"$&"').replaceAll(';', ',')],
  ['LF', written.replaceAll('\r\n', '\n')],
  ['CR', written.replaceAll('\r\n', '\r')],
  ['mixed line ends', written.replace('\r\n', '\n')],
  ['no last line end', written.trim()],
  ['the line of Excel', `sep=;\r\n${written}`],
  ['the line of Excel with a mark', `\ufeffSEP=;\n${written}`],
])('reads a CSV with %s', async (_what, content) => {
  expect(await showCsv(content)).toEqual(sheet(rows));
});

test('reads windows-1251', async () => {
  expect(await showCsv(windows1251('Имя;Вес\nИванов;70\n'))).toEqual(sheet({ 1: ['Имя', 'Вес'], 2: ['Иванов', '70'] }));
});

test('the line of Excel decides against what the rows look like', async () => {
  expect(await showCsv('sep=,\na;b,c\nd;e,f\n')).toEqual(sheet({ 1: ['a;b', 'c'], 2: ['d;e', 'f'] }));
});

test('numbers rows as programs do: a quoted line break is within a row, an empty row counts', async () => {
  expect(await showCsv('"a\nb";c\n\n;;\n " d ";\u00a0\n"e ""f"""; g\n')).toEqual(
    sheet({ 1: ['a\nb', 'c'], 4: ['" d "'], 5: ['e "f"', 'g'] }),
  );
});

test('reads quotation marks within a text that has none around it', async () => {
  expect(await showCsv('Клуб,Город\nТОО "Сұңқар" клубы,Алматы\n')).toEqual(
    sheet({ 1: ['Клуб', 'Город'], 2: ['ТОО "Сұңқар" клубы', 'Алматы'] }),
  );
});

test('reads a single column, and a file without a filled cell', async () => {
  expect(await showCsv('Имя\nАлия\n')).toEqual(sheet({ 1: ['Имя'], 2: ['Алия'] }));
  expect(await showCsv('\ufeff')).toEqual(sheet({}));
  expect(await showCsv(' \n;;\n')).toEqual(sheet({}));
  expect(await showCsv('')).toBe('file_empty');
});

test('drops one apostrophe before a text that looks like a formula, and no other', async () => {
  expect(await showCsv("'=1+1,''-5,'@a,'Алия,+7 701,''')\n")).toEqual(sheet({ 1: ['=1+1', "'-5", '@a', "'Алия", '+7 701', "''')"] }));
});

test.each<[string, string | Buffer]>([
  ['a PDF', '%PDF-1.7\n1 0 obj\n'],
  ['a web page with the name of a table', '<html><table><tr><td>1</td></tr></table></html>'],
  ['a table of Excel 2003 in XML', '\ufeff<?xml version="1.0"?><Workbook/>'],
  ['RTF', '{\\rtf1 a;b}'],
  ['UTF-16 without a mark', Buffer.from('Имя;Вес', 'utf16le')],
  ['an empty zip', Buffer.concat([Buffer.from('504b0506', 'hex'), Buffer.alloc(18)])],
  ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
])('refuses %s', async (_what, content) => {
  expect(await readBytes(content)).toMatchObject({ ok: false, code: 'unsupported_type', message: expect.stringContaining('XLSX') });
});
