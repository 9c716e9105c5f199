import { DomainError, type ErrorCode, isDomainError, validationFailed } from '../../../errors.ts';
import { actingUserId, type CommandContext } from '../../../platform/commands/context.ts';
import { findEvent } from '../../competitions/index.ts';
import { parseRow, problemsOfRow, type RowDemands, type RowOutcome, saveRegistrations } from '../../registrations/index.ts';
import type { ImportMode } from '../entities.ts';
import type { Entry } from '../sheet/entries.ts';
import { addRefusal, type ImportedRow, RowProblems } from '../sheet/problems.ts';
import { isLeftOut } from './columns.ts';
import { findOwnRecords } from './own-records.ts';
import { type OwnRecords, readRegistration, type ReadRegistration } from './read-registration.ts';

/**
 * Saves or submits registrations of a sheet (IMP-2). Each row is taken or refused by itself; a row whose registration has the same content
 * changes nothing.
 * @param entries at most 100
 * @returns the outcome of each row, in their order
 * @throws {DomainError} not_found, unless the event is published
 */
export async function importRegistrations(
  ctx: CommandContext,
  { eventId, mode }: { eventId: number; mode: ImportMode },
  entries: readonly Entry[],
): Promise<ImportedRow[]> {
  const ownerId = actingUserId(ctx.actor);
  const event = await findEvent(ctx.db, eventId);
  if (ownerId === null || event?.event.status !== 'published') throw new DomainError('not_found');
  const isSubmitted = mode !== 'draft';
  const records = await findOwnRecords(ctx, event, ownerId, entries);
  const demands = { isSubmitted, asksForDetails: true, now: ctx.now };
  const read = entries.map((entry) => {
    const problems = new RowProblems(entry);
    const isOut = problems.found.length === 0 && isLeftOut(entry);
    const registration = isOut ? null : readRegistration(entry, records, isSubmitted, problems);
    if (registration !== null && problems.found.length > 0) addOtherProblems(problems, registration, records, demands);
    return { entry, problems, isOut, registration: problems.found.length > 0 ? null : registration };
  });
  const sent = read.flatMap(({ registration }) => (registration === null || registration.isUnchanged ? [] : [registration]));
  const rows = sent.map(({ form }, index) => parseRow(`rows.${index}`, requestOf(form)));
  const outcomes = rows.length === 0 ? [] : await saveEach(ctx, { eventId, rows, isSubmitted, asksForDetails: true });
  const outcomeOf = new Map(sent.map((registration, index) => [registration, outcomes[index]]));

  return read.map(({ entry: { sheet, row }, problems, isOut, registration }): ImportedRow => {
    const at = () => ({ sheet, row, problems: problems.list() });
    if (isOut) return { ...at(), change: 'left_out' };
    if (registration === null) return { ...at(), change: null };
    const { id, form } = registration;
    if (id !== null && registration.isUnchanged) return { ...at(), change: 'unchanged', registrationId: id };
    const outcome = outcomeOf.get(registration);
    if (outcome === undefined) throw new Error('a row has no outcome');
    if ('id' in outcome) return { ...at(), change: id === null ? 'created' : 'changed', registrationId: outcome.id };
    addRefusal(problems, outcome.refusal, { mainOf, fieldOf, allowedIn: (field) => allowedIn(field, form, records) });
    const holder = outcome.refusal.details?.['registration_id'];
    // A check takes back what an earlier row made.
    const isKnown = typeof holder === 'number' && (mode !== 'check' || records.registrations.has(holder));
    return { ...at(), change: null, ...(isKnown ? { registrationId: holder } : {}) };
  });
}

/** A row of the batch: one without a certificate has no list of them. */
function requestOf({ application_ids: applicationIds = [], ...form }: ReadRegistration['form']): Record<string, unknown> {
  return { ...form, ...(applicationIds.length === 0 ? {} : { application_ids: applicationIds }) };
}

/** Fields of the batch by the columns that say them. */
const fieldsOf: Readonly<Record<string, readonly string[]>> = {
  registration_id: ['id', 'profile_id', 'application_id', 'application_ids', 'document_ids'],
  name: ['profile_id', 'application_id', 'application_ids', 'document_ids'],
  birth_date: ['profile_id', 'application_id', 'application_ids', 'document_ids'],
  phone: ['profile_id', 'application_id', 'application_ids', 'document_ids'],
  licence_number: ['application_id', 'application_ids', 'document_ids'],
};

/** Adds what is wrong with the other cells of a row that is refused anyway, so that one answer names all. */
function addOtherProblems(problems: RowProblems, { form }: ReadRegistration, records: OwnRecords, demands: RowDemands): void {
  const row = parseRow('rows.0', requestOf(form));
  const known = new Set([...problems.fields].flatMap((field) => fieldsOf[field] ?? [field]));
  const sound = { ...row, unsound: new Set([...row.unsound, ...known]), problems: [] };
  const shapes = row.problems.filter(({ path }) => path.startsWith('rows.0.vehicle'));
  const facts = {
    settings: records.settings,
    applications: new Map(form.application_ids?.map((id) => [id, { profileId: form.profile_id ?? 0, isIssued: true }])),
    documents: new Map(
      records.papers.map(({ id, profileId, type }) => [id, { profileId, type, status: 'approved' as const, expiresAt: null }]),
    ),
    crew: new Set(form.crew?.map(({ registration_id: id }) => id)),
    profiles: new Map<number, { kind: string }>(),
  };
  const others = [...shapes, ...problemsOfRow(sound, facts, demands)];
  if (others.length === 0) return;
  addRefusal(problems, validationFailed(others), { mainOf, fieldOf, allowedIn: (field) => allowedIn(field, form, records) });
}

/** A refusal of all rows, such as a cancelled event, is the refusal of each. */
async function saveEach(ctx: CommandContext, input: Parameters<typeof saveRegistrations>[1]): Promise<RowOutcome[]> {
  try {
    return await saveRegistrations(ctx, input);
  } catch (error) {
    if (isDomainError(error)) return input.rows.map(() => ({ refusal: error }));
    throw error;
  }
}

/** Returns the column for the path of a field: `rows.3.vehicle.chassis`. */
function fieldOf(path: string): string {
  const [, , field = '', code = ''] = path.split('.');
  switch (field) {
    case 'vehicle':
      return `vehicle.${code}`;
    case 'profile_id':
      return 'name';
    case 'id':
      return 'registration_id';
    case 'application_id':
    case 'application_ids':
    case 'document_ids':
      return 'licence_number';
    default:
      return field;
  }
}

function mainOf(code: ErrorCode): string {
  if (code === 'class_full') return 'class';
  return code === 'not_eligible' ? 'licence_number' : 'name';
}

function allowedIn(field: string, form: ReadRegistration['form'], { licences, settings }: OwnRecords): readonly string[] {
  if (field === 'class') return settings.classes;
  if (field === 'crew') return settings.crew.roles;
  if (field !== 'licence_number') return [];
  return licences.filter(({ profileId }) => profileId === form.profile_id).map(({ number }) => number);
}
