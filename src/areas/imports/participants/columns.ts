import { type ResultStatus, resultStatuses } from '../../competitions/index.ts';
import type { Language } from '../../../http/language.ts';
import { columnTitles, statusTitles } from '../../registrations/index.ts';
import { parseCertificateReference } from '../../verification/index.ts';
import { type ImportColumn, plainTitle } from '../sheet/columns.ts';
import { type Entry, textIn } from '../sheet/entries.ts';

/** The columns by which a row of results is recognized. */
export const identifyingColumns = ['licence_number', 'start_number'] as const;

/** Names of the statuses of a result. */
export const resultStatusTitles: Record<ResultStatus, Record<Language, string>> = {
  registered: { ru: 'Заявлен', kk: 'Тіркелген', en: 'Registered' },
  started: { ru: 'Стартовал', kk: 'Старт алды', en: 'Started' },
  finished: { ru: 'Финишировал', kk: 'Мәреге жетті', en: 'Finished' },
  dnf: { ru: 'Не финишировал', kk: 'Мәреге жетпеді', en: 'DNF' },
  dns: { ru: 'Не стартовал', kk: 'Старт алмады', en: 'DNS' },
  dsq: { ru: 'Дисквалифицирован', kk: 'Шеттетілді', en: 'DSQ' },
};

/** Other words that result sheets have. */
const alsoWritten: Partial<Record<ResultStatus, readonly string[]>> = {
  finished: ['Финиш', 'OK'],
  dnf: ['Сход', 'Did not finish'],
  dns: ['Неявка', 'Did not start'],
  dsq: ['Дисквалификация', 'DQ', 'Disqualified'],
};

/**
 * Returns the status that a cell names; null for other words. The status of a registration, which the export has in a column of the same
 * title, is none.
 */
export function resultStatusOf(text: string): ResultStatus | 'none' | null {
  const plain = plainTitle(text);
  const named = resultStatuses.find((status) =>
    [status, ...Object.values(resultStatusTitles[status]), ...(alsoWritten[status] ?? [])].some((word) => plainTitle(word) === plain),
  );
  if (named !== undefined) return named;
  const isOfRegistration = Object.values(statusTitles).some((titles) => Object.values(titles).some((word) => plainTitle(word) === plain));
  return isOfRegistration ? 'none' : null;
}

const { start_number: startNumber, name, class: raceClass, status, licence_number: licenceNumber } = columnTitles;

/** The columns of a sheet of results (IMP-3). */
export const participantColumns: readonly ImportColumn[] = [
  // The number of a line often has the title №.
  {
    field: 'start_number',
    titles: startNumber,
    isRead: true,
    alsoNamed: ['Номер', 'Старт. №', 'Ст. №', 'Number', 'Bib'],
    atLastNamed: ['№', 'No'],
  },
  { field: 'name', titles: name, isRead: true, alsoNamed: ['ФИО', 'Гонщик', 'Пилот', 'Имя', 'Name', 'Driver'] },
  {
    field: 'licence_number',
    titles: licenceNumber,
    isRead: true,
    alsoNamed: ['Лицензия', 'Сертификат', 'Licence', 'License', 'License number', 'Certificate'],
  },
  { field: 'class', titles: raceClass, isRead: true, alsoNamed: ['Категория', 'Category'] },
  { field: 'place', titles: { ru: 'Место', kk: 'Орын', en: 'Place' }, isRead: true, alsoNamed: ['Rank', 'Position', 'Поз'] },
  {
    field: 'result',
    titles: { ru: 'Результат', kk: 'Нәтиже', en: 'Result' },
    isRead: true,
    alsoNamed: ['Время', 'Time', 'Очки', 'Points'],
  },
  { field: 'result_status', titles: status, isRead: true, alsoNamed: ['Статус результата', 'Result status', 'Нәтиже мәртебесі'] },
];

/** Returns what tells one participant of a file from the others, as written. */
export function participantKey(entry: Pick<Entry, 'cells'>): string | null {
  const licence = textIn(entry, 'licence_number');
  if (licence !== '') return `licence ${licence.toUpperCase()}`;
  const number = textIn(entry, 'start_number');
  return number === '' ? null : `number ${number}`;
}

/** Replaces the link of a certificate's QR by its code, so that later steps need not know the address of this service. */
export function withoutLink(entry: Entry, address: string): Entry {
  const cell = entry.cells['licence_number'];
  if (cell?.value == null) return entry;
  const reference = parseCertificateReference(cell.value.text, address);
  if (reference.by !== 'token') return entry;
  return { ...entry, cells: { ...entry.cells, licence_number: { ...cell, value: { kind: 'text', text: reference.token } } } };
}
