import type { VehicleField } from '../../competitions/index.ts';
import { columnTitles } from '../../registrations/index.ts';
import type { ImportColumn } from '../sheet/columns.ts';
import { type Entry, textIn } from '../sheet/entries.ts';

/** The columns by which a row of registrations is recognized. */
export const identifyingColumns = ['name', 'registration_id'] as const;

/**
 * Lists the columns of a sheet of registrations (IMP-2): those of the export, and the number of the registration. A vehicle field has the
 * organizer's title, before a usual column of the same title.
 */
export function registrationColumns(vehicleFields: readonly VehicleField[]): ImportColumn[] {
  const usual = (field: keyof typeof columnTitles, isRead: boolean, alsoNamed: readonly string[] = []): ImportColumn => {
    const { ru, kk, en } = columnTitles[field];
    return { field, titles: { ru, kk, en }, isRead, alsoNamed };
  };
  return [
    ...vehicleFields.map(({ code, title }) => ({ field: `vehicle.${code}`, titles: { ru: title, kk: title, en: title }, isRead: true })),
    { field: 'registration_id', titles: { ru: 'Регистрация', kk: 'Тіркеу', en: 'Registration' }, isRead: true },
    usual('name', true, ['ФИО', 'Гонщик', 'Пилот', 'Имя', 'Name', 'Driver']),
    usual('birth_date', true, ['Birth date', 'Birthday']),
    usual('phone', true, ['Phone number', 'Номер телефона']),
    usual('class', true, ['Категория', 'Category']),
    usual('licence_number', true, ['Лицензия', 'Licence', 'License', 'License number']),
    usual('crew', true),
    usual('start_number', false),
    usual('status', false),
    usual('city', false),
    usual('team', false),
  ];
}

/** Returns what tells one registration of a file from the others, as written. */
export function registrationKey(entry: Pick<Entry, 'cells'>): string | null {
  const number = textIn(entry, 'registration_id');
  if (number !== '') return `registration ${number}`;
  if (textIn(entry, 'name') === '') return null;
  return ['name', 'birth_date', 'phone', 'licence_number', 'class'].map((field) => textIn(entry, field).toLowerCase()).join('\n');
}

/**
 * Whether a row names an athlete and nothing else, as the template does for athletes without a registration. Without a column for the class
 * the name is enough.
 */
export function isLeftOut(entry: Entry): boolean {
  const identity = new Set(['name', 'birth_date', 'phone']);
  const fields = Object.keys(entry.cells);
  return fields.includes('class') && fields.every((field) => identity.has(field) || textIn(entry, field) === '');
}
