import { isDeepStrictEqual } from 'node:util';
import { DomainError, isDomainError, validationFailed } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { holdUnchanged } from '../../platform/database/lock.ts';
import {
  defaultSettings,
  EventEntity,
  type EventRecord,
  findEvent,
  type Intake,
  intakeOf,
  limitOf,
  notifyOfSubmissions,
} from '../competitions/index.ts';
import { applicationIdsOf, classOf, problemsOfRow, type SentRow } from './check-row.ts';
import { type AcceptedRow, type PlacedRow, placeOf, placeRows } from './place-rows.ts';
import type { Registration } from './entities.ts';
import {
  eligibilityOfRecord,
  findRegistrations,
  inOrder,
  type RegistrationFacts,
  type RegistrationRecord,
  requireEligible,
} from './queries.ts';
import { readRowRecords, type RowRecords } from './row-records.ts';
import { isPlaced, requireTransition } from './states.ts';
import { assignPlaces, type JudgedRow } from './waiting-list/assign-places.ts';
import { offerPlaces } from './waiting-list/offer-places.ts';
import { writeRegistrations } from './write-registrations.ts';

/** Outcome of one row: the registration or the refusal. */
export type RowOutcome = { id: number } | { refusal: DomainError };

export interface SavedRows {
  eventId: number;
  rows: readonly SentRow[];
  /** False saves drafts; a returned registration stays returned. */
  isSubmitted: boolean;
  /** False for the earlier flow, which has neither vehicles nor crews. */
  asksForDetails: boolean;
}

/**
 * Saves or submits registrations of the caller's profiles; each row succeeds or fails separately (REG-1).
 *
 * Reads the records of all rows in a few statements, decides every row, then writes each table once, in one transaction. The unique index
 * refuses a place that was taken in parallel (REG-2). A submission to a full class waits, or is refused (REG-20, REG-21).
 *
 * A returned registration may be corrected until the start of the event (REG-5). A saved row with equal values changes nothing. The organizer
 * is notified of submissions (REG-19).
 *
 * @returns the outcome of each row, in their order; intake_closed for other rows unless the intake is open (REG-11)
 * @throws {DomainError} not_found, unless the event is published
 */
export async function saveRegistrations(ctx: CommandContext, input: SavedRows): Promise<RowOutcome[]> {
  const { eventId, rows } = input;
  const ownerId = actingUserId(ctx.actor);
  // The lock keeps status and settings until the rows decided by them are written.
  const held = await holdUnchanged(ctx.em, EventEntity, { id: eventId });
  const event = held === null ? null : await findEvent(ctx.db, eventId);
  if (ownerId === null || event === null) throw new DomainError('not_found');
  const intake = intakeOf(event.event, event.settings, ctx.now);
  if (intake === 'unpublished') throw new DomainError('not_found');
  if (intake !== 'open' && rows.every(({ form }) => form.id === undefined)) return rows.map(() => ({ refusal: intakeClosed(intake) }));

  const records = await readRowRecords(ctx, eventId, ownerId, rows);
  const judged = await assignPlaces(ctx, event, judgeRows(ctx, input, event, records), input.isSubmitted);
  const decided = placeRows(judged, records.places);
  const kept = input.isSubmitted ? new Set<number>() : await findUnchanged(ctx, decided);
  const accepted = decided.flatMap((row) => ('facts' in row && !(row.registration !== null && kept.has(row.registration.id)) ? [row] : []));
  // Writing changes their class.
  const left = freedClasses(event, judged, decided);
  const { made, taken } = await writeRegistrations(ctx, { ownerId, eventId, ...records, isSubmitted: input.isSubmitted }, accepted);
  const isSubmitted = input.isSubmitted && accepted.some(({ waitingPlace }) => waitingPlace === null);
  if (isSubmitted && event.event.ownerId !== ownerId) await notifyOfSubmissions(ctx, event.event);
  if (left.length > 0) await offerPlaces(ctx, eventId, left);
  return decided.map((row): RowOutcome => {
    if ('refusal' in row) return row;
    const place = 'facts' in row ? placeOf(row) : row.isTakenAt;
    const id = 'facts' in row ? (row.registration?.id ?? made.get(place)) : undefined;
    if (id !== undefined) return { id };
    const holder = ('facts' in row ? null : row.holderId) ?? made.get(place) ?? taken.get(place);
    return { refusal: new DomainError('duplicate_registration', holder === undefined ? undefined : { registration_id: holder }) };
  });
}

/** Lists the classes with a capacity that rows leave, or in which a row took a place that its duplicate has (REG-21). */
function freedClasses({ settings }: EventRecord, judged: readonly JudgedRow[], decided: readonly PlacedRow[]): string[] {
  const freed = judged.flatMap((row, index) => {
    const placed = decided[index];
    if (placed === undefined || 'refusal' in row || 'refusal' in placed) return [];
    if ('isTakenAt' in placed) return [row.class];
    const { registration } = row;
    return registration !== null && isPlaced(registration.status) && registration.class !== row.class ? [registration.class] : [];
  });
  return [...new Set(freed)].filter((name) => settings !== null && limitOf(settings, name)?.capacity != null);
}

/** Judges the rows in their order (REG-1). Reads and writes nothing. */
function judgeRows(ctx: CommandContext, input: SavedRows, event: EventRecord, records: RowRecords): JudgedRow[] {
  const replaced = new Set<number>();
  return input.rows.map((row): JudgedRow => {
    try {
      const accepted = decideRow(ctx, row, input, event, records);
      const { registration } = accepted;
      if (registration !== null && replaced.has(registration.id))
        throw validationFailed([{ path: `${row.path}.id`, code: 'repeated', message: 'is a duplicate' }]);
      if (registration !== null) replaced.add(registration.id);
      return accepted;
    } catch (error) {
      if (isDomainError(error)) return { refusal: error };
      throw error;
    }
  });
}

/** @throws {DomainError} not_found with the field; invalid_state; validation_failed with all problems of the row; not_eligible with reasons */
function decideRow(
  ctx: CommandContext,
  row: SentRow,
  { isSubmitted, asksForDetails }: SavedRows,
  event: EventRecord,
  records: RowRecords,
): AcceptedRow {
  const { form } = row;
  const registration = form.id === undefined ? null : records.registrations.get(form.id);
  const intake = intakeOf(event.event, event.settings, ctx.now);
  if (intake !== 'open' && !isCorrection(registration, event, ctx.now)) throw intakeClosed(intake);
  if (registration === undefined) throw new DomainError('not_found', { field: 'id' });
  if (registration !== null) requireTransition(registration, isSubmitted ? 'submit' : 'update');
  const profile = form.profile_id === undefined ? undefined : records.profiles.get(form.profile_id);
  if (form.profile_id !== undefined && profile === undefined) throw new DomainError('not_found', { field: 'profile_id' });

  const settings = event.settings ?? defaultSettings;
  const problems = problemsOfRow(row, { ...records, settings }, { isSubmitted, asksForDetails, now: ctx.now });
  if (registration !== null && profile !== undefined && registration.profileId !== profile.id)
    problems.push({ path: `${row.path}.profile_id`, code: 'fixed', message: 'cannot change; create a new registration' });
  if (problems.length > 0) throw validationFailed(problems);
  const chosen = classOf(row, settings);
  if (profile === undefined || chosen === null) throw new Error('a valid row lacks a field');

  const applicationIds = applicationIdsOf(row);
  const facts = factsOf(event, profile, row, applicationIds, records);
  if (isSubmitted) requireEligible(facts, ctx.now);
  const { vehicle = {} } = form;
  return {
    registration,
    profileId: profile.id,
    class: chosen,
    vehicle,
    applicationIds,
    facts,
    isEligible: eligibilityOfRecord(facts, ctx.now).ok,
    waitingPlace: null,
  };
}

/** Whether a returned registration is corrected before the start of its event, also after the intake has closed (REG-5). */
function isCorrection(registration: Readonly<Registration> | null | undefined, { event }: EventRecord, now: Date): boolean {
  return registration?.status === 'returned' && event.status === 'published' && now < event.startsAt;
}

function intakeClosed(intake: Intake): DomainError {
  return new DomainError('intake_closed', { intake });
}

/** Returns the registrations whose row equals what is saved: they are not written again. */
async function findUnchanged({ db }: CommandContext, rows: readonly PlacedRow[]): Promise<ReadonlySet<number>> {
  const changing = new Map(rows.flatMap((row) => ('facts' in row && row.registration !== null ? [[row.registration.id, row]] : [])));
  const saved = await findRegistrations(db, [...changing.keys()]);
  return new Set(saved.filter((record) => isSame(record, changing.get(record.id))).map(({ id }) => id));
}

function isSame({ registration, licences, papers, crew }: RegistrationRecord, row: AcceptedRow | undefined): boolean {
  const sorted = (ids: readonly number[]) => ids.toSorted((left, right) => left - right);
  const crewOf = (members: RegistrationRecord['crew']) => members.toSorted((left, right) => left.registrationId - right.registrationId);
  const content = (given: Pick<AcceptedRow, 'class' | 'vehicle' | 'applicationIds'> & Pick<RegistrationRecord, 'papers' | 'crew'>) => ({
    class: given.class,
    vehicle: given.vehicle,
    applicationIds: sorted(given.applicationIds),
    papers: sorted(given.papers.map(({ id }) => id)),
    crew: crewOf(given.crew),
  });
  if (row === undefined) return false;
  const { class: name, vehicle } = registration;
  const applicationIds = licences.map(({ applicationId }) => applicationId);
  return isDeepStrictEqual(content({ class: name, vehicle, applicationIds, papers, crew }), content({ ...row, ...row.facts }));
}

function factsOf(
  { id, event, settings }: EventRecord,
  { id: profileId, name, status }: RegistrationFacts['profile'],
  { form }: SentRow,
  applicationIds: readonly number[],
  { licences, documents }: RowRecords,
): RegistrationFacts {
  const { ownerId, title, disciplineId, startsAt, endsAt } = event;
  return {
    event: {
      id,
      ownerId,
      title,
      disciplineId,
      status: event.status,
      startsAt,
      endsAt,
      opensAt: settings?.opensAt ?? null,
      closesAt: settings?.closesAt ?? null,
    },
    profile: { id: profileId, name, status },
    licences: inOrder(applicationIds.flatMap((applicationId) => licences.get(applicationId) ?? [])),
    papers: (form.document_ids ?? []).flatMap((documentId) => documents.get(documentId) ?? []),
    documents: [],
    crew: (form.crew ?? []).map(({ role, registration_id: registrationId }) => ({ role, registrationId })),
    classLimit: null,
    waitingPlace: null,
    history: [],
  };
}
