import type { z } from 'zod';
import type { FieldProblem } from '../../errors.ts';
import { checkElement } from '../../http/request/validate.ts';
import { foreignPapers, type RegistrationSettings } from '../competitions/index.ts';
import { type DocumentStatus, hasExpired } from '../documents/index.ts';
import { registrationRow } from './wire.ts';

/** A valid row of a batch. */
type RegistrationForm = z.output<typeof registrationRow>;

/** A row of a batch as it was sent: its valid fields, and the problems of the others. */
export interface SentRow {
  /** Path in the request: `body.registrations.3`. */
  path: string;
  form: Partial<RegistrationForm>;
  /** Fields of the wrong shape. */
  unsound: ReadonlySet<string>;
  problems: readonly FieldProblem[];
}

/** Extracts the valid fields of a row, so that one answer reports problems of shape and of records together (API-2). */
export function parseRow(path: string, sent: unknown): SentRow {
  const checked = checkElement(path, registrationRow, sent);
  if ('data' in checked) return { path, form: checked.data, unsound: new Set(), problems: [] };
  // A value that is not an object has no valid fields.
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    return { path, form: {}, unsound: new Set(Object.keys(registrationRow.shape)), problems: checked.problems };
  const fields: Record<string, unknown> = { ...sent };
  const parsed = Object.entries(registrationRow.shape).map(([name, shape]) => ({ name, field: shape.safeParse(fields[name]) }));
  const sound = parsed.flatMap(({ name, field }) => (field.success ? [[name, field.data] as const] : []));
  return {
    path,
    form: Object.fromEntries(sound),
    unsound: new Set(parsed.filter(({ field }) => !field.success).map(({ name }) => name)),
    problems: checked.problems,
  };
}

/** Records that a batch refers to: the caller's own, and those of the event. */
export interface RowFacts {
  settings: Pick<RegistrationSettings, 'classes' | 'crew' | 'vehicleFields'>;
  /** By id, issued or not. */
  applications: ReadonlyMap<number, { profileId: number; isIssued: boolean }>;
  documents: ReadonlyMap<number, { profileId: number; type: string; status: DocumentStatus; expiresAt: string | null }>;
  /** Ids of registrations that may be crew (REG-14). */
  crew: ReadonlySet<number>;
  profiles: ReadonlyMap<number, { kind: string }>;
}

export interface RowDemands {
  /** A draft may lack required fields, but may not hold wrong ones (REG-13). */
  isSubmitted: boolean;
  /** False for the earlier flow, which has neither vehicles nor crews. */
  asksForDetails: boolean;
  now: Date;
}

/** Returns the class of a row, by default the event's only class; null when the row must choose. */
export function classOf(row: SentRow, { classes }: Pick<RegistrationSettings, 'classes'>): string | null {
  if (row.form.class !== undefined) return row.form.class;
  return classes.length > 1 ? null : (classes[0] ?? '');
}

/** Lists the applications that a row names in `application_id` or `application_ids`. */
export function applicationIdsOf({ form }: Pick<SentRow, 'form'>): readonly number[] {
  return form.application_ids ?? (typeof form.application_id === 'number' ? [form.application_id] : []);
}

/** Lists all problems of a row: of its shape, against the event's settings (REG-13), and against the records. Pure. */
export function problemsOfRow(row: SentRow, facts: RowFacts, demands: RowDemands): FieldProblem[] {
  const problems: FieldProblem[] = [...row.problems];
  const has = (field: keyof SentRow['form']) => !row.unsound.has(field);
  const add = (field: string, code: string, message: string) => problems.push({ path: `${row.path}.${field}`, code, message });
  if (has('profile_id')) checkProfile(row, facts, add);
  if (has('class')) checkClass(row, facts, add);
  if (has('vehicle')) checkVehicle(row, facts, demands, add);
  if (has('crew')) checkCrew(row, facts, demands, add);
  if (has('application_id') && has('application_ids')) checkApplications(row, facts, demands, add);
  if (has('document_ids')) checkPapers(row, facts, demands, add);
  return problems;
}

type Add = (field: string, code: string, message: string) => void;

function checkProfile({ form }: SentRow, { profiles }: RowFacts, add: Add): void {
  const kind = profiles.get(form.profile_id ?? 0)?.kind;
  if (kind !== undefined && kind !== 'athlete') add('profile_id', 'wrong_kind', 'must be an athlete profile');
}

function checkClass(row: SentRow, { settings }: RowFacts, add: Add): void {
  const chosen = classOf(row, settings);
  if (chosen === null) add('class', 'required', 'is required: the event has several classes');
  else if (row.form.class !== undefined && !settings.classes.includes(chosen)) add('class', 'unknown_class', 'is not a class of the event');
}

function checkVehicle(
  { form: { vehicle = {} } }: SentRow,
  { settings }: RowFacts,
  { isSubmitted, asksForDetails }: RowDemands,
  add: Add,
): void {
  for (const code of Object.keys(vehicle)) {
    if (!settings.vehicleFields.some((field) => field.code === code))
      add(`vehicle.${code}`, 'unknown_field', 'is not a vehicle field of the event');
  }
  if (!isSubmitted || !asksForDetails) return;
  for (const { code, required } of settings.vehicleFields) {
    if (required && !Object.hasOwn(vehicle, code)) add(`vehicle.${code}`, 'required', 'is required');
  }
}

function checkCrew({ form }: SentRow, facts: RowFacts, { isSubmitted, asksForDetails }: RowDemands, add: Add): void {
  const { crew = [], id: own } = form;
  const demands = { own, rules: facts.settings.crew, members: facts.crew, isWhole: isSubmitted && asksForDetails };
  for (const { field, code, message } of crewProblems(crew, demands)) add(field, code, message);
}

/**
 * Lists what is wrong with a crew, at submission and at approval (REG-14). Pure.
 * @param demands `own`: the registration's id · `members`: ids of registrations that may be crew · `isWhole`: false for a draft, which may
 *   lack members
 */
export function crewProblems(
  crew: readonly { role: string; registration_id: number }[],
  {
    own,
    rules: { roles, min, max },
    members,
    isWhole,
  }: { own: number | undefined; rules: RegistrationSettings['crew']; members: ReadonlySet<number>; isWhole: boolean },
): { field: string; code: string; message: string }[] {
  const problems: { field: string; code: string; message: string }[] = [];
  const add = (field: string, code: string, message: string) => problems.push({ field, code, message });
  const named = new Set<number>();
  for (const [index, { role, registration_id: member }] of crew.entries()) {
    if (!roles.includes(role)) add(`crew.${index}.role`, 'unknown_role', 'is not a crew role of the event');
    if (member === own) add(`crew.${index}.registration_id`, 'own', 'is this registration itself');
    else if (named.has(member)) add(`crew.${index}.registration_id`, 'repeated', 'is a duplicate');
    else if (!members.has(member)) add(`crew.${index}.registration_id`, 'not_found', 'is not a registration of this event');
    named.add(member);
  }
  if (crew.length > max) add('crew', 'too_big', `must have at most ${max} members`);
  if (isWhole && crew.length < min) add('crew', 'too_small', `must have at least ${min} members`);
  return problems;
}

function checkApplications(row: SentRow, facts: RowFacts, { isSubmitted }: RowDemands, add: Add): void {
  const { form } = row;
  const field = form.application_ids === undefined ? 'application_id' : 'application_ids';
  if (form.application_ids !== undefined && typeof form.application_id === 'number')
    add('application_ids', 'not_allowed', 'must not be combined with application_id');
  const ids = applicationIdsOf(row);
  const named = new Set<number>();
  for (const [index, id] of ids.entries()) {
    const path = field === 'application_id' ? field : `${field}.${index}`;
    const application = facts.applications.get(id);
    if (application === undefined || (form.profile_id !== undefined && application.profileId !== form.profile_id))
      add(path, 'not_found', 'is not an application of this profile');
    else if (!application.isIssued) add(path, 'not_issued', 'has no certificate yet');
    else if (named.has(id)) add(path, 'repeated', 'is a duplicate');
    named.add(id);
  }
  if (isSubmitted && ids.length === 0 && !hasBothPapers(row, facts))
    add('application_id', 'required', 'is required unless both documents of another federation are attached');
}

function hasBothPapers({ form: { document_ids: ids } }: SentRow, { documents }: RowFacts): boolean {
  // A list of the wrong shape already has its own problem.
  if (ids === undefined) return true;
  return foreignPapers.every((type) => ids.some((id) => documents.get(id)?.type === type));
}

function checkPapers({ form }: SentRow, { documents }: RowFacts, { now }: RowDemands, add: Add): void {
  const named = new Set<number>();
  for (const [index, id] of (form.document_ids ?? []).entries()) {
    const path = `document_ids.${index}`;
    const document = documents.get(id);
    if (document === undefined || (form.profile_id !== undefined && document.profileId !== form.profile_id))
      add(path, 'not_found', 'is not a document of this profile');
    else if (!foreignPapers.some((type) => type === document.type)) add(path, 'wrong_type', `must be one of ${foreignPapers.join(', ')}`);
    else if (document.status !== 'approved' || hasExpired(document, now)) add(path, 'not_approved', 'is not approved, or has expired');
    else if (named.has(id)) add(path, 'repeated', 'is a duplicate');
    named.add(id);
  }
}
