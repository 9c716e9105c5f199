import type { Event } from '../../auditor/competitions/competition-records.ts';
import type { SentSheet } from '../../auditor/imports/sheet.ts';
import { readWorkbook } from '../../auditor/national/workbook.ts';
import type { Sheet } from './csv.ts';

const fieldsOf: Record<'registrations' | 'participants', Readonly<Record<string, string>>> = {
  registrations: {
    Registration: 'registration_id',
    Athlete: 'name',
    'Date of birth': 'birth_date',
    Phone: 'phone',
    Class: 'class',
    'Licence number': 'licence_number',
    Crew: 'crew',
  },
  participants: {
    'Start number': 'start_number',
    Athlete: 'name',
    'Licence number': 'licence_number',
    Class: 'class',
    Place: 'place',
    Result: 'result',
    Status: 'result_status',
  },
};

/** Columns by one of which a sheet is recognized. */
const identifying: Record<'registrations' | 'participants', readonly string[]> = {
  registrations: ['name', 'registration_id'],
  participants: ['licence_number', 'start_number'],
};

/** Says what a workbook of the registry with English titles has. @param list that will read it */
export async function sheetOfWorkbook(
  bytes: Buffer,
  list: 'registrations' | 'participants',
  { settings }: Event,
  madeAs: SentSheet['madeAs'],
): Promise<Sheet> {
  const vehicles = list === 'participants' ? [] : (settings?.vehicleFields ?? []);
  const fieldOf = (title: string): string | null => {
    const vehicle = vehicles.find((field) => field.title === title || `vehicle.${field.code}` === title);
    return vehicle ? `vehicle.${vehicle.code}` : (fieldsOf[list][title] ?? null);
  };
  const sheets = (await readWorkbook(bytes)).flatMap(({ name, rows: [titles = [], ...rows] }) => {
    const columns = titles.map((title) => fieldOf(title ?? ''));
    if (!columns.some((field) => field !== null && identifying[list].includes(field))) return [];
    const lines = rows.map((cells, index) => ({ sheet: name, row: index + 2, cells: cells.map((cell) => cell ?? '') }));
    return [{ columns, rows: lines.filter(({ cells }) => cells.some((cell) => cell.trim() !== '')) }];
  });
  const made = madeAs === undefined ? {} : { madeAs };
  return { bytes, says: { columns: sheets[0]?.columns ?? [], rows: sheets.flatMap(({ rows }) => rows), ...made } };
}
