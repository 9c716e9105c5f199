import { sql } from 'kysely';
import { jsonArrayFrom } from 'kysely/helpers/postgres';
import type { Readable } from 'node:stream';
import type { Language } from '../../../http/language.ts';
import type { Database } from '../../../platform/database/database.ts';
import { sheetNames } from '../../../platform/spreadsheet/sheet-names.ts';
import { type Sheet, streamSpreadsheet } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { auditRead, type Reading } from '../../audit/index.ts';
import { defaultSettings, type EventRecord } from '../../competitions/index.ts';
import { placedStatuses } from '../states.ts';
import { type ExportColumn, exportColumns, type ExportedRegistration } from './export-columns.ts';

/** Rows of one statement: about ten milliseconds of work between two checks of the client's connection. */
const pageSize = 100;

/** Name of the only sheet when there is no class: an XLSX without a sheet cannot be opened. */
const nameOfNoClass: Record<Language, string> = { ru: 'Регистрации', kk: 'Тіркеулер', en: 'Registrations' };

/**
 * Streams the approved registrations of an event as an XLSX (REG-17).
 *
 * Sheets follow the organizer's order of classes, then the classes that the settings no longer name. The audit row
 * `registrations.exported` is written before the first row is read, with the count. Registrations decided on meanwhile may
 * or may not be included.
 */
export async function exportRegistrations(
  { caller, db, now }: Pick<Reading, 'caller' | 'db' | 'now'>,
  { id: eventId, settings }: EventRecord,
  language: Language,
): Promise<Readable> {
  const { classes, vehicleFields, columns: chosen } = settings ?? defaultSettings;
  const counts = await countApprovedByClass(db, eventId);
  const count = counts.values().reduce((sum, ofClass) => sum + ofClass, 0);
  await auditRead({ ...caller, db, now }, 'registrations.exported', { kind: 'event', id: eventId }, { count });

  const columns = exportColumns(chosen, vehicleFields, language);
  const named = [...new Set([...classes, ...counts.keys()])];
  const names = sheetNames(named.length === 0 ? [nameOfNoClass[language]] : named);
  const sheets = names.map((name, index): Sheet => {
    const ofClass = named[index];
    const isEmpty = ofClass === undefined || !counts.has(ofClass);
    return { name, columns, pages: () => (isEmpty ? noPages() : pagesOf(db, eventId, ofClass, columns)) };
  });
  return streamSpreadsheet(sheets, now);
}

async function* pagesOf(db: Database, eventId: number, name: string, columns: readonly ExportColumn[]) {
  let afterId = 0;
  for (;;) {
    const rows = await listApproved(db, { eventId, class: name, afterId, limit: pageSize });
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => columns.map((column) => column.valueOf(row)));
    if (rows.length < pageSize) return;
    afterId = last.id;
  }
}

async function* noPages() {
  // A class without approved registrations keeps its empty sheet.
}

/** Counts the approved registrations of each class; classes without any are absent. Uses registrations_event_index. */
async function countApprovedByClass(db: Database, eventId: number): Promise<ReadonlyMap<string, number>> {
  const rows = await db
    .selectFrom('registrations')
    .where('eventId', '=', eventId)
    .where('status', '=', 'approved')
    .groupBy('class')
    .orderBy('class')
    .select((eb) => ['class', eb.fn.countAll<number>().as('count')])
    .execute();
  return new Map(rows.map(({ class: name, count }) => [name, count]));
}

/** Reads a page of approved registrations of a class after `afterId`, in one statement. Uses registrations_event_index. */
function listApproved(
  db: Database,
  { eventId, class: name, afterId, limit }: { eventId: number; class: string; afterId: number; limit: number },
): Promise<ExportedRegistration[]> {
  return db
    .selectFrom('registrations as r')
    .innerJoin('profiles as p', 'p.id', 'r.profileId')
    .where('r.eventId', '=', eventId)
    .where('r.class', '=', name)
    .where('r.id', '>', afterId)
    .where('r.status', '=', 'approved')
    .orderBy('r.id')
    .limit(limit)
    .select((eb) => [
      'r.id',
      'r.class',
      'r.status',
      'r.startNumber',
      'r.vehicle',
      'p.name',
      fieldOf('birth_date').as('birthDate'),
      fieldOf('city').as('city'),
      fieldOf('phone').as('phone'),
      eb
        .selectFrom('registration_licences as rl')
        .innerJoin('applications as a', 'a.id', 'rl.applicationId')
        .innerJoin('certificates as c', 'c.applicationId', 'a.id')
        .whereRef('rl.registrationId', '=', 'r.id')
        .where(sql<boolean>`${sql.ref('a.data')}->>'team' is not null`)
        .select(sql<string>`${sql.ref('a.data')}->>'team'`.as('team'))
        .orderBy('c.validFrom')
        .limit(1)
        .as('team'),
      sql<string[]>`array(${eb
        .selectFrom('registration_licences as rl')
        .innerJoin('certificates as c', 'c.applicationId', 'rl.applicationId')
        .whereRef('rl.registrationId', '=', 'r.id')
        .select('c.number')
        .orderBy('c.validFrom')})`.as('licenceNumbers'),
      sql<string[]>`array(${eb
        .selectFrom('registration_documents as rd')
        .whereRef('rd.registrationId', '=', 'r.id')
        .where('rd.isAttached', '=', true)
        .where('rd.type', '=', 'foreign_naf_license')
        .where('rd.number', 'is not', null)
        .select('rd.number')
        .orderBy('rd.documentId')})`.as('foreignNumbers'),
      // Crew members who are visible to the organizer (REG-8) and still take part.
      jsonArrayFrom(
        eb
          .selectFrom('registration_crew as rc')
          .innerJoin('registrations as m', 'm.id', 'rc.memberId')
          .innerJoin('profiles as mp', 'mp.id', 'm.profileId')
          .whereRef('rc.registrationId', '=', 'r.id')
          .where('m.status', 'in', placedStatuses)
          .select(['rc.role', 'mp.name'])
          .orderBy('rc.memberId'),
      ).as('crew'),
    ])
    .execute();
}

function fieldOf(name: 'birth_date' | 'city' | 'phone') {
  return sql<string | null>`${sql.ref('p.data')}->>${sql.lit(name)}`;
}
