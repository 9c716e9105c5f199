import { sql } from 'kysely';
import type { Readable } from 'node:stream';
import type { Language } from '../../../http/language.ts';
import { type Database, inList } from '../../../platform/database/database.ts';
import { type Sheet, type SheetColumn, streamSpreadsheet } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { competitionSpan, defaultSettings, type EventRecord } from '../../competitions/index.ts';
import { findCandidates, findPlaces, findRegistrations, type RegistrationRecord, statusTitles } from '../../registrations/index.ts';
import { columnOf } from '../sheet/columns.ts';
import { mostRows } from '../sheet/entries.ts';
import { registrationColumns } from './columns.ts';
import { licencesIn } from './read-registration.ts';

const sheetName: Record<Language, string> = { ru: 'Регистрации', kk: 'Тіркеулер', en: 'Registrations' };

interface Row {
  name: string;
  birthDate: string | null;
  registration: RegistrationRecord | null;
}

interface TemplateColumn extends Omit<SheetColumn, 'title'> {
  field: string;
  valueOf(row: Row): string | null;
}

/**
 * Streams the sheet for an import of an account's registrations (IMP-6): a row for each living registration of its athletes, and for each
 * other athlete. A row without a registration has nothing but
 * the athlete, so that a file sent back unchanged registers none.
 */
export async function streamRegistrationTemplate(
  db: Database,
  { event: record, ownerId, language }: { event: EventRecord; ownerId: number; language: Language },
  now: Date,
): Promise<Readable> {
  const settings = record.settings ?? defaultSettings;
  const { rows, licences, names } = await findRows(db, record, ownerId);
  const all = registrationColumns(settings.vehicleFields);
  const saved = (read: (registration: RegistrationRecord) => string | null) => (row: Row) =>
    row.registration === null ? null : read(row.registration);
  const columns: TemplateColumn[] = [
    { field: 'registration_id', holds: 'number', width: 14, valueOf: saved(({ id }) => String(id)) },
    { field: 'name', holds: 'text', width: 36, valueOf: ({ name }) => name },
    { field: 'birth_date', holds: 'day', width: 16, valueOf: ({ birthDate }) => birthDate },
    { field: 'class', holds: 'text', width: 20, choices: settings.classes, valueOf: saved(({ registration }) => registration.class) },
    { field: 'licence_number', holds: 'text', width: 24, choices: licences, valueOf: saved((own) => licencesIn(own) || null) },
    ...settings.vehicleFields.map(({ code }): TemplateColumn => {
      const valueOf = saved(({ registration: { vehicle } }) => (Object.hasOwn(vehicle, code) ? (vehicle[code] ?? null) : null));
      return { field: `vehicle.${code}`, holds: 'text', width: 24, valueOf };
    }),
    ...(settings.crew.max === 0 ? [] : [{ field: 'crew', holds: 'text' as const, width: 40, valueOf: saved((own) => crewIn(own, names)) }]),
    { field: 'status', holds: 'text', width: 18, valueOf: saved(({ registration }) => titleOfStatus(registration)) },
  ];
  const sheet: Sheet = {
    name: sheetName[language],
    columns: columns.map(({ field, ...column }) => ({ ...column, title: titleOf(field) })),
    async *pages() {
      yield rows.map((row) => columns.map(({ valueOf }) => valueOf(row)));
    },
  };
  return streamSpreadsheet([sheet], now);

  function titleOfStatus({ status }: { status: keyof typeof statusTitles }): string {
    return statusTitles[status][language];
  }

  /** A title that an import reads as another column is replaced by the field. */
  function titleOf(field: string): string {
    const column = all.find((known) => known.field === field);
    const title = column?.titles[language] ?? field;
    return columnOf(title, all)?.field === field ? title : field;
  }
}

/** Finds the rows of the sheet, the numbers of all licences, and the names of the registered athletes by registration. */
async function findRows(db: Database, { id: eventId, event }: EventRecord, ownerId: number) {
  const candidates = await findCandidates(db, ownerId, { span: competitionSpan(event), disciplineId: event.disciplineId });
  const profileIds = candidates.map(({ profile }) => profile.id);
  const [births, places] = await Promise.all([findBirthDates(db, profileIds), findPlaces({ db }, eventId, profileIds)]);
  const registrations = await findRegistrations(
    db,
    places.map(({ id }) => id),
  );
  const rows = candidates.flatMap(({ profile }): Row[] => {
    const row = { name: profile.name, birthDate: births.get(profile.id) ?? null };
    const own = registrations.filter((registration) => registration.profile.id === profile.id);
    return own.length === 0 ? [{ ...row, registration: null }] : own.map((registration) => ({ ...row, registration }));
  });
  return {
    rows: rows.slice(0, mostRows),
    licences: [...new Set(candidates.flatMap(({ licences }) => licences.map(({ number }) => number)))],
    names: new Map(registrations.map(({ id, profile }) => [id, profile.name])),
  };
}

async function findBirthDates(db: Database, profileIds: readonly number[]): Promise<ReadonlyMap<number, string | null>> {
  const rows = await db
    .selectFrom('profiles')
    .where('id', '=', inList(profileIds))
    .select(['id', sql<string | null>`data->>'birth_date'`.as('birthDate')])
    .execute();
  return new Map(rows.map(({ id, birthDate }) => [id, birthDate]));
}

/** Names the members of a crew as the export does; a registration of another account by its number. */
function crewIn({ crew }: RegistrationRecord, names: ReadonlyMap<number, string>): string | null {
  return crew.map(({ role, registrationId }) => `${role}: ${names.get(registrationId) ?? registrationId}`).join('; ') || null;
}
