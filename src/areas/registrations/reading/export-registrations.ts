import type { Readable } from 'node:stream';
import type { Language } from '../../../http/language.ts';
import type { Database } from '../../../platform/database/database.ts';
import { sheetNames } from '../../../platform/spreadsheet/sheet-names.ts';
import { type Sheet, streamSpreadsheet } from '../../../platform/spreadsheet/stream-spreadsheet.ts';
import { audit, type Reading } from '../../audit/index.ts';
import { defaultSettings, type EventRecord } from '../../competitions/index.ts';
import { type ExportColumn, exportColumns } from './export-columns.ts';
import { countApprovedByClass, listApproved } from './export-queries.ts';

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
  await audit({ ...caller, db, now }, 'registrations.exported', { kind: 'event', id: eventId }, { count });

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
