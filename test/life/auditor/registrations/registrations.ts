import { isDeepStrictEqual } from 'node:util';
import { type Area, type Asked, type Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { inOrder } from './eligibility.ts';
import { Finding } from '../finding.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { athleteOf, isEligible, isLive, noteWaitingChange, organizerOf } from './registrations-of.ts';
import type { Registration } from './registration-records.ts';
import { type Outcome, offerPlaces, Shares } from './places.ts';
import { tell } from '../notifications/told.ts';
import {
  addStep,
  judgeAcceptance,
  judgeDecision,
  takeOverAcceptance,
  takeOverDecision,
  takeOverWithdrawal,
} from './registration-decisions.ts';
import { applicationIdsOf, classOf, crewOf, judgeRows, type Row, type RowJudgement, type Sending } from './registration-rows.ts';
import { askAboutAll, askAboutTouched } from './registration-questions.ts';

/** By the body of a batch, what the rules say of its rows; a race is not judged. */
const judged = new WeakMap<object, RowJudgement[]>();

/** Registrations, by `docs/rules/registrations.md`. */
export const registrationsArea: Area = {
  records: ['registration'],

  judge(model, asked, now) {
    switch (asked.operation) {
      case 'POST /events/{id}/registrations/batch':
        return judgeBatch(model, asked, now);
      case 'POST /events/{id}/register':
        return judgeEarlierFlow(model, asked, now);
      case 'PATCH /events/{id}/registrations/{registration_id}':
        return judgeDecision(model, asked, now);
      case 'POST /event-registrations/{id}/accept':
        return judgeAcceptance(model, asked, now);
      case 'POST /event-registrations/{id}/withdraw': {
        const registration = model.registrations.get(Number(asked.params['id']));
        if (!registration || athleteOf(model, registration) !== asked.by.accountId) return refuse('not_found');
        return isLive(registration) ? 'accept' : refuse('invalid_state');
      }
      default:
        return null;
    }
  },

  saw(model, exchange) {
    const { operation, params } = exchange;
    switch (operation) {
      case 'POST /events/{id}/registrations/batch':
        return takeOverBatch(model, exchange);
      case 'POST /events/{id}/register': {
        const sending = { ...sendingOf(exchange), isSubmitted: true, hasDetails: false };
        const name = classOf(model, exchange.body as Row, sending.eventId) ?? '';
        const outcome = new Shares(model, sending.eventId, true).take(null, name);
        if (outcome !== 'wait') noteSubmission(model, sending, exchange);
        return [save(model, exchange.body as Row, sending, { id: exchange.data.id, outcome, queue: model.nextInLine() }, exchange)];
      }
      case 'PATCH /events/{id}/registrations/{registration_id}':
        return takeOverDecision(model, Number(params['registration_id']), exchange);
      case 'POST /event-registrations/{id}/accept':
        return takeOverAcceptance(model, Number(params['id']), exchange);
      case 'POST /event-registrations/{id}/withdraw':
        return takeOverWithdrawal(model, Number(params['id']), exchange);
      default:
        return [];
    }
  },

  dayCame: (model) => [...model.registrations.values()].filter(isLive).map(({ id }): Touched => ({ kind: 'registration', id })),

  ask: askAboutTouched,
  askAll: askAboutAll,
};

function sendingOf({ params, by, body }: Pick<Exchange, 'params' | 'by' | 'body'>): Sending {
  const isSubmitted = (body as { submit?: boolean }).submit === true;
  return { eventId: Number(params['id']), accountId: by.accountId, isSubmitted, hasDetails: true };
}

/** An event that is not published does not exist for athletes; a completed one is closed (REG-11). */
function judgeEvent(model: Model, eventId: number): Judgement | null {
  const status = model.events.get(eventId)?.status;
  if (status === 'completed') return 'open';
  return status === 'published' ? null : refuse('not_found');
}

function judgeBatch(model: Model, asked: Asked, now: Date): Judgement {
  const sending = sendingOf(asked);
  const hidden = judgeEvent(model, sending.eventId);
  if (hidden !== null) return hidden;
  const { registrations } = asked.body as { registrations: Row[] };
  if (registrations.length === 0 || registrations.length > 100) return refuse('validation_failed');
  judged.set(asked.body as object, judgeRows(model, registrations, sending, now));
  return 'accept';
}

function judgeEarlierFlow(model: Model, asked: Asked, now: Date): Judgement {
  const sending = { ...sendingOf(asked), isSubmitted: true, hasDetails: false };
  const hidden = judgeEvent(model, sending.eventId);
  if (hidden !== null) return hidden;
  const [{ codes } = { codes: null }] = judgeRows(model, [asked.body as Row], sending, now);
  if (codes === null) return 'open';
  return codes.length === 0 ? 'accept' : refuse(...codes);
}

/** Compares each row with what the rules said of it, and takes the accepted ones over. */
function takeOverBatch(model: Model, exchange: Exchange): Touched[] {
  const { registrations: rows } = exchange.body as { registrations: Row[] };
  const results = exchange.data.results as RowResult[];
  const expected = judged.get(exchange.body as object);
  judged.delete(exchange.body as object);
  if (results.length !== rows.length) throw new Finding('each row of a batch has its outcome (REG-1)', rows.length, results);
  for (const [index, { ok, error }] of results.entries()) {
    const judgement = expected?.[index];
    if (judgement && judgement.codes !== null) compareRow(rows[index], judgement, ok, error ?? null);
  }
  return takeOverRows(model, rows, results, sendingOf(exchange), exchange);
}

/** The outcome of a row of a batch. */
export interface RowResult {
  ok: boolean;
  id?: number;
  error?: { code: string; details?: Details };
}

/** Takes the accepted rows of a batch over, in their order. */
export function takeOverRows(
  model: Model,
  rows: readonly Row[],
  results: readonly RowResult[],
  sending: Sending,
  exchange: Exchange,
): Touched[] {
  const shares = new Shares(model, sending.eventId, sending.isSubmitted);
  const outcomes = results.map(({ ok, error }, index) => {
    const row = rows[index];
    if (!row || (!ok && error?.code !== 'duplicate_registration')) return 'full';
    return shares.take(row.id === undefined ? null : model.registrations.get(row.id), classOf(model, row, sending.eventId) ?? '');
  });
  if (results.some(({ ok }, index) => ok && outcomes[index] !== 'wait')) noteSubmission(model, sending, exchange);
  // Rows of one request are submitted at one instant: their ids decide who waits first (REG-21).
  const queue = model.nextInLine();
  const saved = results.flatMap(({ ok, id }, index) => {
    const [row, outcome = 'kept'] = [rows[index], outcomes[index]];
    return ok && row && id !== undefined ? [save(model, row, sending, { id, outcome, queue }, exchange)] : [];
  });
  return [...saved, ...offerPlaces(model, sending.eventId, exchange.at)];
}

interface Details {
  registration_id?: number;
  reasons?: { code: string; day: string }[];
}

function compareRow(
  row: Row | undefined,
  { codes, holderId, reasons }: RowJudgement,
  isAccepted: boolean,
  error: { code: string; details?: Details } | null,
): void {
  const asked = `the row ${JSON.stringify(row)}`;
  const wanted = codes === null || codes.length === 0 ? 'accepted' : `refused ${codes.join(' or ')}`;
  const isExpected = codes === null || (codes.length === 0 ? isAccepted : error !== null && codes.includes(error.code));
  if (!isExpected)
    throw new Finding(`${asked} is judged by the rules (REG-1 to REG-5, REG-11, REG-13, REG-14)`, wanted, error ?? 'accepted');
  if (error?.code === 'duplicate_registration' && holderId !== null && error.details?.registration_id !== holderId)
    throw new Finding(`${asked} is told which registration holds its place (REG-2)`, holderId, error.details);
  const given = inOrder(error?.details?.reasons ?? []);
  if (error?.code === 'not_eligible' && !isDeepStrictEqual(given, reasons))
    throw new Finding(`${asked} is told why its athlete is not eligible (REG-4)`, reasons, given);
}

/** A row makes a registration or replaces one; a saved row with equal values changes nothing. */
function save(
  model: Model,
  row: Row,
  sending: Sending,
  { id, outcome, queue }: { id: number; outcome: Outcome; queue: number },
  exchange: Exchange,
): Touched {
  const before = model.registrations.get(id);
  const content = {
    class: classOf(model, row, sending.eventId) ?? '',
    vehicle: row.vehicle ?? {},
    crew: crewOf(row),
    applicationIds: applicationIdsOf(row),
    paperIds: row.document_ids ?? [],
  };
  const registration: Registration = before ?? {
    id,
    eventId: sending.eventId,
    profileId: row.profile_id,
    ...content,
    status: 'draft',
    queue: null,
    offeredUntil: null,
    missedOffer: false,
    startNumber: null,
    reason: null,
    wasSubmitted: false,
    snapshot: [],
    history: [],
    isKnownEligible: false,
    isSeenEligible: false,
    isToldOfCancellation: false,
  };
  model.registrations.set(id, registration);
  const isUnchanged = before !== undefined && !sending.isSubmitted && isSameContent(before, content);
  if (isUnchanged) return { kind: 'registration', id };
  const isWaiting = outcome === 'wait';
  const step = sending.isSubmitted ? (isWaiting ? 'queued' : 'submitted') : before ? 'updated' : 'created';
  model.noted(exchange, `registration.${step}`, 'registration', id);
  Object.assign(registration, content);
  if (sending.isSubmitted)
    Object.assign(registration, {
      status: isWaiting ? 'waiting' : 'submitted',
      queue: isWaiting ? queue : null,
      missedOffer: false,
      wasSubmitted: true,
      reason: null,
    });
  if (isWaiting) tell(model, athleteOf(model, registration), 'registration.waiting', id);
  if (sending.isSubmitted || !before) addStep(registration, 'athlete', null);
  registration.snapshot = snapshotOf(model, registration, sending.isSubmitted);
  const isOk = isEligible(model, registration, exchange.at);
  // A draft shows by itself that it is not eligible; only a later recovery is told.
  Object.assign(registration, { isKnownEligible: isOk, isSeenEligible: isOk });
  return { kind: 'registration', id };
}

/** The organizer hears of submissions of other accounts; the own ones wait too (REG-19). */
function noteSubmission(model: Model, { eventId, accountId, isSubmitted }: Sending, { at }: Exchange): void {
  if (!isSubmitted) return;
  noteWaitingChange(model, eventId, at);
  if (organizerOf(model, eventId) !== accountId) model.submittedAt.set(eventId, at.getTime());
}

type Content = Pick<Registration, 'class' | 'vehicle' | 'crew' | 'applicationIds' | 'paperIds'>;

function isSameContent(before: Content, after: Content): boolean {
  const textOf = ({ class: name, vehicle, crew, applicationIds, paperIds }: Content) =>
    JSON.stringify([
      name,
      Object.entries(vehicle)
        .map(([code, value]) => `${code} ${value}`)
        .toSorted(),
      crew.map(({ role, registrationId }) => `${registrationId} ${role}`).toSorted(),
      applicationIds.toSorted((left, right) => left - right),
      paperIds.toSorted((left, right) => left - right),
    ]);
  return textOf(before) === textOf(after);
}

/** The attached papers, and at submission also the documents of the licences (REG-10). */
function snapshotOf(model: Model, { applicationIds, paperIds }: Registration, isSubmitted: boolean): Registration['snapshot'] {
  const ofLicences = isSubmitted ? applicationIds.flatMap((id) => model.applications.get(id)?.documentIds ?? []) : [];
  return [...new Set([...paperIds, ...ofLicences])]
    .toSorted((left, right) => left - right)
    .flatMap((id) => {
      const document = model.documents.get(id);
      return document ? [{ document_id: id, type: document.type, expires_at: document.expiresAt, status: document.status }] : [];
    });
}
