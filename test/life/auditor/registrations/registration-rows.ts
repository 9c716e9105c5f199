import { foreignPapers, judgeEligibility, type Reason } from './eligibility.ts';
import { dayOf } from '../days.ts';
import { limitOf, Shares } from './places.ts';
import { type Model, ownerOf } from '../model.ts';
import { doesCrewHold, eventOf, isIntakeOpen, isLive, isPaperAttachable, registrationsOf } from './registrations-of.ts';
import type { Registration } from './registration-records.ts';

/** A row of a batch, as it is sent. */
export interface Row {
  id?: number;
  profile_id: number;
  application_id?: number | null;
  application_ids?: number[];
  class?: string;
  vehicle?: Record<string, string>;
  crew?: { role: string; registration_id: number }[];
  document_ids?: number[];
}

/** What the rules say of one row: accepted, or refused with one of the codes; null when they leave it open. */
export interface RowJudgement {
  codes: string[] | null;
  /** The live registration that holds the place, with `duplicate_registration`. */
  holderId: number | null;
  /** With `not_eligible`. */
  reasons: Reason[];
}

export interface Sending {
  eventId: number;
  accountId: number;
  isSubmitted: boolean;
  /** False for the earlier flow, which has neither vehicles nor crews. */
  hasDetails: boolean;
}

/** Judges each row by itself, in order: an accepted one holds its place for those after it (REG-1, REG-2). */
export function judgeRows(model: Model, rows: readonly Row[], sending: Sending, now: Date): RowJudgement[] {
  const { eventId } = sending;
  const taken = new Set<string>();
  const seen = new Set<number>();
  // Rows that change their classes free places for each other; which of them may, the rules leave open.
  const shares = new Shares(model, eventId, sending.isSubmitted);
  const hasMoves = rows.length > 1 && rows.some(({ id = 0, ...row }) => isMove(model, id, classOf(model, row, eventId)));
  return rows.map((row) => {
    const codes = codesOf(model, row, sending, now);
    if (row.id !== undefined && seen.has(row.id)) codes.push('validation_failed');
    // A row that only lacks its place has named its registration.
    if (row.id !== undefined && codes.length === 0) seen.add(row.id);
    const place = `${row.profile_id} ${classOf(model, row, eventId)}`;
    const holder = holderOf(model, row, eventId);
    const isTaken = taken.has(place) || holder !== null;
    const name = classOf(model, row, eventId) ?? '';
    const outcome = codes.length === 0 ? shares.take(row.id === undefined ? null : model.registrations.get(row.id), name) : 'kept';
    const isOpen = hasMoves && codes.length === 0 && (isTaken || limitOf(eventOf(model, eventId), name).capacity !== null);
    if (outcome === 'full') codes.push('class_full');
    if (isTaken && codes[0] !== 'intake_closed') codes.push('duplicate_registration');
    if (codes.length === 0 || isOpen) taken.add(place);
    return { codes: isOpen ? null : codes, holderId: hasMoves ? null : (holder?.id ?? null), reasons: reasonsOf(model, row, sending, now) };
  });
}

function isMove(model: Model, id: number, name: string | null): boolean {
  const registration = model.registrations.get(id);
  return registration !== undefined && registration.class !== name;
}

/** Every code that may name what is wrong with a row, but for its place. */
function codesOf(model: Model, row: Row, sending: Sending, now: Date): string[] {
  const { eventId, accountId, isSubmitted } = sending;
  const event = eventOf(model, eventId);
  const before = row.id === undefined ? null : ownRegistration(model, row.id, eventId, accountId);
  // A returned one is corrected until the event starts, also after the intake has closed (REG-5).
  const isCorrection = before?.status === 'returned' && event.status === 'published' && now.getTime() < event.startsAt;
  if (!isIntakeOpen(event, now) && !isCorrection) return ['intake_closed'];
  const codes: string[] = [];
  if (row.id !== undefined && before === null) codes.push('not_found');
  if (before && before.status !== 'draft' && before.status !== 'returned') codes.push('invalid_state');
  const profile = model.profiles.get(row.profile_id);
  if (profile?.ownerId !== accountId) return [...codes, 'not_found'];
  const isOfOther = profile.kind !== 'athlete' || (before !== null && before.profileId !== profile.id);
  if (isOfOther || !doesFit(model, row, sending, now)) codes.push('validation_failed');
  else if (isSubmitted && reasonsOf(model, row, sending, now).length > 0) codes.push('not_eligible');
  return codes;
}

function ownRegistration(model: Model, id: number, eventId: number, accountId: number): Registration | null {
  const registration = model.registrations.get(id);
  return registration?.eventId === eventId && ownerOf(model, registration.profileId) === accountId ? registration : null;
}

/** Whether a row fits the event's settings, and names own records (REG-3, REG-13, REG-14). */
function doesFit(model: Model, row: Row, { eventId, accountId, isSubmitted, hasDetails }: Sending, now: Date): boolean {
  const { settings } = eventOf(model, eventId);
  const { classes = [], vehicleFields = [] } = settings ?? {};
  const vehicle = row.vehicle ?? {};
  const isWhole = isSubmitted && hasDetails;
  const crew = crewOf(row);
  const applications = applicationIdsOf(row).map((id) => model.applications.get(id));
  const papers = row.document_ids ?? [];
  const types = new Set(papers.map((id) => model.documents.get(id)?.type));
  return (
    classes.includes(classOf(model, row, eventId) ?? '') &&
    Object.keys(vehicle).every((code) => vehicleFields.some((field) => field.code === code)) &&
    (!isWhole || vehicleFields.every(({ code, required }) => !required || Object.hasOwn(vehicle, code))) &&
    doesCrewHold(model, crew, { id: row.id ?? null, eventId, ownerId: accountId, isWhole }) &&
    !(typeof row.application_id === 'number' && row.application_ids !== undefined) &&
    applications.every((application) => application?.profileId === row.profile_id && application.certificate !== null) &&
    new Set(applicationIdsOf(row)).size === applications.length &&
    papers.every((id) => isPaperAttachable(model, id, row.profile_id, dayOf(now))) &&
    new Set(papers).size === papers.length &&
    (!isSubmitted || applications.length > 0 || foreignPapers.every((type) => types.has(type)))
  );
}

function reasonsOf(model: Model, row: Row, { eventId }: Sending, now: Date): Reason[] {
  const claim = {
    profileId: row.profile_id,
    event: eventOf(model, eventId),
    applicationIds: applicationIdsOf(row),
    paperIds: row.document_ids ?? [],
  };
  return judgeEligibility(model, claim, dayOf(now)).reasons;
}

/** The live registration of the profile in the class; null without one, and for the row's own (REG-2). */
function holderOf(model: Model, row: Row, eventId: number): Registration | null {
  const name = classOf(model, row, eventId);
  const holder = registrationsOf(model, eventId).find(
    (one) => isLive(one) && one.profileId === row.profile_id && one.class === name && one.id !== row.id,
  );
  return holder ?? null;
}

/** The class of a row; the only one of the event when the row names none. */
export function classOf(model: Model, row: Pick<Row, 'class'>, eventId: number): string | null {
  const classes = eventOf(model, eventId).settings?.classes ?? [];
  return row.class ?? (classes.length === 1 ? (classes[0] ?? null) : null);
}

export function applicationIdsOf({ application_id: one, application_ids: several }: Row): number[] {
  return several ?? (typeof one === 'number' ? [one] : []);
}

export function crewOf({ crew = [] }: Row): Registration['crew'] {
  return crew.map(({ role, registration_id: registrationId }) => ({ role, registrationId }));
}
