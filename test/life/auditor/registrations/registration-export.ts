import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import type { Registration } from './registration-records.ts';
import { eventOf, organizerOf, registrationsOf } from './registrations-of.ts';
import { readWorkbook } from '../national/workbook.ts';

const defaultColumns = ['start_number', 'name', 'class'];

/** The organizer's export has a sheet for each class, with approved registrations only, in the chosen columns (REG-17). */
export async function askExport(inquiry: Inquiry, eventId: number): Promise<void> {
  const { model, asOwner, same } = inquiry;
  const organizer = organizerOf(model, eventId);
  const answer = await asOwner(organizer, 'GET /events/{id}/registrations/export', { params: { id: eventId }, query: '?lang=en' });
  if (answer.status !== 200) return;
  const list = await asOwner(organizer, 'GET /events/{id}/registrations', { params: { id: eventId }, query: '?limit=100&status=approved' });
  if (list.status !== 200 || list.meta.total > 100) return;
  const names = new Map((list.data as { id: number; name: string }[]).map(({ id, name }) => [id, name]));
  const sheets = await readWorkbook(answer.bytes);
  const approved = registrationsOf(model, eventId).filter(({ status }) => status === 'approved');
  const { settings } = eventOf(model, eventId);
  const classes = [...new Set([...(settings?.classes ?? []), ...approved.map((one) => one.class)])];
  if (classes.length > 0)
    same(
      `the export of event ${eventId} has a sheet for each class (REG-17)`,
      classes.map(sheetOf).toSorted(),
      sheets.map(({ name }) => name).toSorted(),
    );
  same(
    `the export of event ${eventId} has no formulas (REG-17)`,
    [],
    sheets.flatMap(({ formulas }) => formulas),
  );
  const columns = settings?.columns ?? defaultColumns;
  for (const { name, rows } of sheets) {
    const ofClass = approved.filter((one) => sheetOf(one.class) === name).toSorted((left, right) => left.id - right.id);
    same(
      `sheet ${name} of event ${eventId} has the approved registrations of the class, in the chosen columns (REG-17)`,
      ofClass.map((one) => columns.map((column) => cellOf(model, one, column, names.get(one.id) ?? null))),
      // Columns that the auditor does not know count as they are; the first row has the titles.
      rows
        .slice(1)
        .map((row, index) =>
          columns.map((column, at) => (isKnown(column) ? (row[at] ?? null) : cellOf(model, ofClass[index], column, null))),
        ),
    );
  }
}

/** A spreadsheet allows no slash in the name of a sheet. */
const sheetOf = (className: string) => className.replaceAll('/', '_');

const known: ReadonlySet<string> = new Set(['start_number', 'name', 'class', 'status', 'licence_number', 'birth_date']);

function isKnown(column: string): boolean {
  return known.has(column) || column.startsWith('vehicle.');
}

function cellOf(model: Model, registration: Registration | undefined, column: string, name: string | null): string | null {
  if (!registration) return null;
  if (column.startsWith('vehicle.')) return registration.vehicle[column.slice('vehicle.'.length)] ?? null;
  switch (column) {
    case 'start_number':
      return registration.startNumber;
    case 'name':
      return name;
    case 'class':
      return registration.class;
    case 'status':
      return 'Approved';
    case 'licence_number':
      return licenceNumbers(model, registration);
    case 'birth_date':
      return model.profiles.get(registration.profileId)?.birthDate ?? null;
    default:
      return null;
  }
}

/** Numbers of the certificates in the order of their days, then of licences of another federation. */
function licenceNumbers(model: Model, { applicationIds, paperIds }: Registration): string | null {
  const certificates = applicationIds.flatMap((id) => model.applications.get(id)?.certificate ?? []);
  const own = certificates.toSorted((left, right) => left.validFrom.localeCompare(right.validFrom)).map(({ number }) => number);
  const foreign = paperIds.flatMap((id) =>
    model.documents.get(id)?.type === 'foreign_naf_license' ? [model.documents.get(id)?.fields.number ?? ''] : [],
  );
  return [...own, ...foreign].join(', ') || null;
}
