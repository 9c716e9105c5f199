import type { Random } from '../../../support/random.ts';
import type { SentSheet, SheetRow } from '../../auditor/imports/sheet.ts';
import { weighted } from '../step.ts';

/** A file with what it says. */
export interface Sheet {
  bytes: Buffer;
  says: Omit<SentSheet, 'mode'>;
}

/** Titles in the three languages, and others that people use (IMP-4). */
const titles: Readonly<Record<string, readonly string[]>> = {
  registration_id: ['Регистрация', 'Тіркеу', 'Registration'],
  name: ['Спортсмен', 'Спортшы', 'Athlete', 'ФИО', ' СПОРТСМЕН* '],
  birth_date: ['Дата рождения', 'Туған күні', 'Date of birth'],
  class: ['Класс', 'Class', 'класс:'],
  licence_number: ['Номер лицензии', 'Лицензия нөмірі', 'Licence number', 'Лицензия'],
  crew: ['Экипаж', 'Crew'],
  start_number: ['Стартовый номер', 'Старт нөмірі', 'Start number', '№'],
  place: ['Место', 'Орын', 'Place'],
  result: ['Результат', 'Нәтиже', 'Result', 'Время'],
  result_status: ['Статус', 'Мәртебесі', 'Status'],
};

/**
 * Writes rows as people's programs do: any delimiter, order and language, with a row before the titles, blank rows and a column of their own.
 * @param titleOf of a field that the organizer named
 */
export function csvOf(
  random: Random,
  fields: readonly string[],
  lines: readonly Readonly<Record<string, string>>[],
  titleOf: (field: string) => string | undefined = () => undefined,
): Sheet {
  const isLikely = (part: number) => random.next() < part;
  const columns: (string | null)[] = random.shuffled([...fields, ...(isLikely(0.4) ? [null] : [])]);
  const delimiter = random.pick([';', ',', '\t']);
  const written: string[][] = isLikely(0.2) ? [columns.map((_, at) => (at === 0 ? 'Клуб «Алатау»' : ''))] : [];
  const heads = columns.map((field) =>
    field === null ? 'Ескерту' : random.pick([field, titleOf(field) ?? anyOf(random, titles[field] ?? []) ?? field]),
  );
  written.push(heads);
  const rows: SheetRow[] = [];
  for (const line of lines) {
    if (isLikely(0.15)) written.push(isLikely(0.5) ? [''] : columns.map(() => ''));
    const cells = columns.map((field) => (field === null ? random.pick(['', 'жаңа']) : (line[field] ?? '')));
    if (cells.every((cell) => cell.trim() === '')) continue;
    written.push(cells);
    rows.push({ sheet: null, row: written.length, cells });
  }
  const quoted = (cell: string) => (/[;,\t"]/.test(cell) || isLikely(0.1) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const text = written.map((cells) => cells.map(quoted).join(delimiter)).join(random.pick(['\r\n', '\n']));
  const before = weighted(random, [
    ['', 6],
    ['\ufeff', 2],
    [`sep=${delimiter}\r\n`, 1],
  ]);
  // Beside the licences that column counts the rows (IMP-3).
  const read = columns.map((field, at) => (heads[at] === '№' && fields.includes('licence_number') ? null : field));
  return { bytes: Buffer.from(before + text), says: { columns: read, rows } };
}

export function anyOf(random: Random, words: readonly string[]): string | undefined {
  return random.shuffled(words)[0];
}
