import { sql } from 'kysely';
import { DomainError, isDomainError, validationFailed } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { inList, json } from '../../platform/database/database.ts';
import { holdUnchanged, type Locked } from '../../platform/database/lock.ts';
import { refOf } from '../../platform/workflows/define-process.ts';
import { startProcess } from '../../platform/workflows/start-process.ts';
import { defaultSettings, EventEntity, type EventRecord, findEvent, intakeOf } from '../competitions/index.ts';
import { applicationIdsOf, classOf, problemsOfRow } from './check-row.ts';
import type { Registration, RegistrationDocument } from './entities.ts';
import type { SentRow } from './parse-row.ts';
import { presentEligibility } from './wire.ts';
import { describeRegistration, registrationProcess } from './process.ts';
import { recordSteps, type TakenStep } from './record-steps.ts';
import { eligibilityOfRecord, inOrder, type RegistrationFacts } from './record.ts';
import { findPlaces, type Place, readRowRecords, type RowRecords } from './row-records.ts';
import { requireTransition } from './states.ts';

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
 * refuses a place that was taken in parallel (REG-2).
 *
 * @returns the outcome of each row, in their order; intake_closed for all rows unless the intake is open (REG-11)
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
  if (intake !== 'open') return rows.map(() => ({ refusal: new DomainError('intake_closed', { intake }) }));

  const records = await readRowRecords(ctx, eventId, ownerId, rows);
  const decided = decideRows(ctx, input, event, records);
  const accepted = decided.flatMap((row) => ('facts' in row ? [row] : []));
  const saved = await write(ctx, { ownerId, event, records, isSubmitted: input.isSubmitted }, accepted);
  return decided.map((row): RowOutcome => {
    if ('refusal' in row) return row;
    const place = 'facts' in row ? placeOf(row) : row.isTakenAt;
    const holder = ('facts' in row ? row.registration?.id : row.holderId) ?? saved.holders.get(place);
    if ('facts' in row && holder !== undefined && (row.registration !== null || saved.made.has(place))) return { id: holder };
    return { refusal: new DomainError('duplicate_registration', holder === undefined ? undefined : { registration_id: holder }) };
  });
}

/** A valid row with the registration that it makes or replaces. */
interface AcceptedRow {
  /** The registration that the row replaces; null for a new one. */
  registration: Locked<Registration> | null;
  profileId: number;
  class: string;
  vehicle: Record<string, string>;
  applicationIds: readonly number[];
  facts: RegistrationFacts;
  isEligible: boolean;
}

/** `holderId`: the registration that holds the place; null when an earlier row creates it. */
type DecidedRow = AcceptedRow | { refusal: DomainError } | { isTakenAt: string; holderId: number | null };

/** Key of a place within an event, as in `registrations_live_unique` (REG-2). */
function placeOf(place: Pick<Place, 'profileId' | 'class'>): string {
  return `${place.profileId} ${place.class}`;
}

/** Decides the rows in their order; the first of two rows for one place wins (REG-1, REG-2). Reads and writes nothing. */
function decideRows(ctx: CommandContext, input: SavedRows, event: EventRecord, records: RowRecords): DecidedRow[] {
  const replaced = new Set<number>();
  const judged = input.rows.map((row): AcceptedRow | { refusal: DomainError } => {
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
  return placeRows(judged, records.places);
}

/**
 * Assigns places to rows, in their order. A row that moves its registration to another class frees its place for later rows.
 * Registrations that swap places move together.
 */
function placeRows(judged: readonly (AcceptedRow | { refusal: DomainError })[], places: readonly Place[]): DecidedRow[] {
  const holders = new Map<string, number | null>(places.map((place) => [placeOf(place), place.id]));
  const moving = new Map<number, AcceptedRow>();
  for (const row of judged) if ('facts' in row && row.registration !== null) moving.set(row.registration.id, row);
  return judged.map((row): DecidedRow => {
    if ('refusal' in row) return row;
    const { registration } = row;
    const place = placeOf(row);
    const holder = holders.get(place);
    if (holder !== undefined && (holder === null || holder !== registration?.id)) {
      const cycle = registration === null ? null : cycleOf(row, registration, holders, moving);
      if (cycle === null) {
        if (registration !== null) moving.delete(registration.id);
        return { isTakenAt: place, holderId: holder };
      }
      for (const [id, taken] of cycle) holders.set(taken, id);
    } else {
      if (registration !== null && holders.get(placeOf(registration)) === registration.id) holders.delete(placeOf(registration));
      holders.set(place, registration?.id ?? null);
    }
    if (registration !== null) moving.delete(registration.id);
    return row;
  });
}

/** Finds the cycle of swapped places that starts at this row, with the new place of each registration; null without a cycle. */
function cycleOf(
  row: AcceptedRow,
  registration: Readonly<Registration>,
  holders: ReadonlyMap<string, number | null>,
  moving: ReadonlyMap<number, AcceptedRow>,
): ReadonlyMap<number, string> | null {
  const cycle = new Map([[registration.id, placeOf(row)]]);
  for (let place = placeOf(row); place !== placeOf(registration);) {
    const holder = holders.get(place) ?? null;
    const next = holder === null ? undefined : moving.get(holder);
    if (holder === null || next === undefined || cycle.has(holder)) return null;
    place = placeOf(next);
    cycle.set(holder, place);
  }
  return cycle;
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
  const eligibility = eligibilityOfRecord(facts);
  if (isSubmitted && !eligibility.ok) throw new DomainError('not_eligible', { reasons: presentEligibility(eligibility).reasons });
  const { vehicle = {} } = form;
  return { registration, profileId: profile.id, class: chosen, vehicle, applicationIds, facts, isEligible: eligibility.ok };
}

function factsOf(
  { id, event }: EventRecord,
  { id: profileId, name, status }: RegistrationFacts['profile'],
  { form }: SentRow,
  applicationIds: readonly number[],
  { licences, documents }: RowRecords,
): RegistrationFacts {
  const { ownerId, title, disciplineId, startsAt, endsAt } = event;
  return {
    event: { id, ownerId, title, disciplineId, status: event.status, startsAt, endsAt },
    profile: { id: profileId, name, status },
    licences: inOrder(applicationIds.flatMap((applicationId) => licences.get(applicationId) ?? [])),
    papers: (form.document_ids ?? []).flatMap((documentId) => documents.get(documentId) ?? []),
    documents: [],
    crew: (form.crew ?? []).map(({ role, registration_id: registrationId }) => ({ role, registrationId })),
    history: [],
  };
}

interface Writing {
  ownerId: number;
  event: EventRecord;
  records: RowRecords;
  isSubmitted: boolean;
}

/** A written registration with its row. */
interface Written {
  registration: Readonly<Registration>;
  row: AcceptedRow;
}

/**
 * Writes the accepted rows, each table with one statement.
 * @returns the places of new registrations, and the holders of places that were taken in parallel
 */
async function write(
  ctx: CommandContext,
  writing: Writing,
  accepted: readonly AcceptedRow[],
): Promise<{ made: ReadonlySet<string>; holders: ReadonlyMap<string, number> }> {
  const moved = accepted.flatMap(({ registration, class: next }) =>
    registration === null || registration.class === next ? [] : [registration.id],
  );
  const changed = accepted.flatMap((row): Written[] =>
    row.registration === null ? [] : [{ row, registration: change(ctx, row.registration, row, writing) }],
  );
  const wereSubmitted = changed.filter(({ registration }) => registration.status === 'submitted');
  await leavePlaces(ctx, moved);
  // One statement for all changed rows.
  await ctx.em.flush();
  const fresh = accepted.filter(({ registration }) => registration === null);
  const made = await insert(ctx, fresh, writing);
  const written = [...changed, ...made];
  await writeRelatedRows(ctx, written, changed, writing);
  await recordSteps(
    ctx,
    written.map((one) => stepOf(one, writing)),
  );
  // A submission changes who must act, so the process updates its description; `dueAt` was computed above.
  for (const { registration } of wereSubmitted) ctx.wake(refOf(registrationProcess, registration.id));
  for (const { registration, row } of made)
    await startProcess(ctx, registrationProcess, { id: registration.id, registration, ...row.facts });
  const holders = new Map(made.map(({ registration }) => [placeOf(registration), registration.id]));
  if (made.length < fresh.length) {
    const taken = await findPlaces(
      ctx,
      writing.event.id,
      fresh.map(({ profileId }) => profileId),
    );
    for (const place of taken) holders.set(placeOf(place), place.id);
  }
  return { made: new Set(made.map(({ registration }) => placeOf(registration))), holders };
}

/** Builds a registration from its row, with the next run of its process. */
function contentOf(ctx: CommandContext, row: AcceptedRow, before: Readonly<Registration> | null, { isSubmitted, ownerId, event }: Writing) {
  const registration: Registration = {
    id: before?.id ?? 0,
    eventId: event.id,
    ownerId,
    profileId: row.profileId,
    class: row.class,
    vehicle: row.vehicle,
    status: isSubmitted ? 'submitted' : (before?.status ?? 'draft'),
    startNumber: null,
    reason: isSubmitted ? null : (before?.reason ?? null),
    submittedAt: isSubmitted ? ctx.now : (before?.submittedAt ?? null),
    decidedAt: isSubmitted ? null : (before?.decidedAt ?? null),
    // The response already shows that a draft is not eligible, so no lapse is sent; a later recovery is.
    ineligibleSince: row.isEligible ? null : (before?.ineligibleSince ?? ctx.now),
    dueAt: null,
    createdAt: before?.createdAt ?? ctx.now,
    updatedAt: ctx.now,
  };
  const { next } = describeRegistration({ id: registration.id, registration, ...row.facts }, ctx.now);
  return { ...registration, dueAt: next?.at ?? null };
}

function change(ctx: CommandContext, registration: Locked<Registration>, row: AcceptedRow, writing: Writing): Readonly<Registration> {
  return Object.assign(registration, contentOf(ctx, row, registration, writing));
}

/**
 * Moves registrations to temporary classes before a swap: the unique index is checked row by row, so a direct swap would fail. The leading
 * space cannot collide with a class of the settings.
 */
async function leavePlaces(ctx: CommandContext, ids: readonly number[]): Promise<void> {
  if (ids.length < 2) return;
  await ctx.db
    .updateTable('registrations')
    .set((eb) => ({ class: sql<string>`' ' || ${eb.ref('id')}` }))
    .where('id', '=', inList(ids))
    .execute();
}

/** Inserts new registrations, except those whose place is taken; the unique index decides (REG-2). */
async function insert(ctx: CommandContext, rows: readonly AcceptedRow[], writing: Writing): Promise<Written[]> {
  if (rows.length === 0) return [];
  const inserted = await ctx.db
    .insertInto('registrations')
    .values(
      rows.map((row) => {
        const { id: _id, ...registration } = contentOf(ctx, row, null, writing);
        return { ...registration, vehicle: json(registration.vehicle) };
      }),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .execute();
  const byPlace = new Map(inserted.map((registration) => [placeOf(registration), registration]));
  return rows.flatMap((row) => {
    const registration = byPlace.get(placeOf(row));
    return registration === undefined ? [] : [{ registration, row }];
  });
}

/** Writes licences, crews and documents; replaces those of changed registrations. */
async function writeRelatedRows(
  ctx: CommandContext,
  written: readonly Written[],
  changed: readonly Written[],
  writing: Writing,
): Promise<void> {
  if (changed.length > 0) {
    const ids = changed.map(({ registration }) => registration.id);
    for (const table of ['registration_licences', 'registration_crew', 'registration_documents'] as const)
      await ctx.db.deleteFrom(table).where('registrationId', '=', inList(ids)).execute();
  }
  const licences = written.flatMap(({ registration, row }) =>
    row.applicationIds.map((applicationId) => ({ registrationId: registration.id, applicationId })),
  );
  if (licences.length > 0) await ctx.db.insertInto('registration_licences').values(licences).execute();
  const crew = written.flatMap(({ registration, row }) =>
    row.facts.crew.map(({ role, registrationId: memberId }) => ({ registrationId: registration.id, memberId, role })),
  );
  if (crew.length > 0) await ctx.db.insertInto('registration_crew').values(crew).execute();
  const documents = written.flatMap((one) => snapshotOf(one, writing));
  if (documents.length > 0) await ctx.db.insertInto('registration_documents').values(documents).execute();
}

/** Builds the snapshot (REG-10): attached papers, and at submission also the documents of the licences. */
function snapshotOf({ registration, row }: Written, { records, isSubmitted }: Writing): RegistrationDocument[] {
  const attached = new Set(row.facts.papers.map(({ id }) => id));
  const ofLicences = isSubmitted ? row.facts.licences.flatMap(({ validity }) => validity.documents.map(({ id }) => id)) : [];
  return [...new Set([...attached, ...ofLicences])].flatMap((id) => {
    const document = records.documents.get(id);
    if (document === undefined) return [];
    const { type, number, expiresAt, status, fileId } = document;
    return [{ registrationId: registration.id, documentId: id, isAttached: attached.has(id), type, number, expiresAt, status, fileId }];
  });
}

function stepOf({ registration, row }: Written, { isSubmitted }: Writing): TakenStep {
  const step = isSubmitted ? 'submitted' : row.registration === null ? 'created' : 'updated';
  return { registration, step, data: { application_ids: row.applicationIds } };
}
