import { actsAsAdministrator } from '../accounts/scopes.ts';
import type { Asked } from '../area.ts';
import type { Event, StageName } from './competition-records.ts';
import { changeOf, type Change, instantOf } from './competition-changes.ts';
import { type Judgement, refuse } from '../judgement.ts';
import { type Model, ownerOf } from '../model.ts';
import { differencesOf, isInTurn, isLivingEvent, isPaidFee } from './competitions-of.ts';
import { versionStands } from './versions.ts';
import type { Decision } from '../applications/profiles.ts';

/** What the rules say of requests about competitions, by `docs/rules/competitions.md`. */
export function judgeEvent(model: Model, asked: Asked, now: Date): Judgement | null {
  const id = Number(asked.params['id']);
  switch (asked.operation) {
    case 'POST /events':
      return judgeNew(model, asked);
    case 'PATCH /events/{id}':
      return ofOwner(model, asked, id, (event) => judgeChange(model, event, asked, now));
    case 'POST /events/{id}/submit':
      return ofOwner(model, asked, id, (event) => judgeSubmission(model, event, (asked.body as { stage: StageName }).stage, now));
    case 'POST /events/{id}/cancel':
      return judgeCancellation(model, asked, model.events.get(id));
    case 'PUT /events/{id}/registration-settings':
      return ofOwner(model, asked, id, (event) => judgeSettings(event, asked));
    default:
      return null;
  }
}

/** The record of another account does not exist (API-3). */
export function ofOwner(model: Model, { by }: Asked, id: number, judgeIt: (event: Event) => Judgement): Judgement {
  const event = model.events.get(id);
  return event && ownerOf(model, event.profileId) === by.accountId ? judgeIt(event) : refuse('not_found');
}

const verdict = (codes: readonly string[]): Judgement => (codes.length === 0 ? 'accept' : refuse(...codes));

/** An own approved organizer profile, an active fee with the discipline, and possible dates (EVT-1, EVT-15, CAT-7, CAT-8). */
function judgeNew(model: Model, { body, by }: Asked): Judgement {
  const sent = body as Change & { profile_id: number; service_id: number; discipline_id: number };
  const profile = model.profiles.get(sent.profile_id);
  if (!profile || profile.ownerId !== by.accountId) return refuse('not_found');
  const isPossible =
    profile.kind === 'organizer' && isFee(model, sent.service_id, sent.discipline_id) && areDatesPossible(datesOf(changeOf(sent)));
  return verdict([...(isPossible ? [] : ['validation_failed']), ...(profile.data.status === 'approved' ? [] : ['profile_not_approved'])]);
}

function isFee(model: Model, serviceId: number, disciplineId: number): boolean {
  const service = model.services.get(serviceId);
  return service?.kind === 'event_fee' && service.isActive && service.disciplineIds.includes(disciplineId);
}

type Dates = Pick<Event, 'startsAt' | 'endsAt' | 'reserveAt'>;

function datesOf({ startsAt = 0, endsAt = 0, reserveAt = null }: Partial<Event>): Dates {
  return { startsAt, endsAt, reserveAt };
}

const dayMs = 86_400_000;

function areDatesPossible({ startsAt, endsAt, reserveAt }: Dates): boolean {
  const isWithin = (later: number, earlier: number) => later >= earlier && later - earlier <= 366 * dayMs;
  return isWithin(endsAt, startsAt) && (reserveAt === null || isWithin(reserveAt, endsAt));
}

/** A file for an open stage (EVT-2, EVT-18); fields until the publication fixes them, and not under review (EVT-5, EVT-16). */
function judgeChange(model: Model, event: Event, { body, by }: Asked, now: Date): Judgement {
  const sent = body as Change;
  if (!isLivingEvent(event)) return refuse('invalid_state');
  const { stage } = sent;
  if (stage === 'agreement') return refuse('validation_failed');
  if (stage !== undefined && !isStageOpen(event, stage, now)) return refuse('stage_not_open');
  const codes: string[] = [];
  const fields = changeOf(sent);
  const changed = Object.entries(fields).flatMap(([name, value]) => (event[name as keyof Event] === value ? [] : [name]));
  const isOfFee = changed.includes('serviceId') || changed.includes('disciplineId');
  const isDated = changed.includes('startsAt') || changed.includes('endsAt');
  if (event.status === 'published' && (isOfFee || isDated)) codes.push('event_published');
  if (changed.length > 0 && event.stages.details.status === 'submitted') codes.push('invalid_state');
  if (isOfFee && event.feeId !== null) codes.push('invalid_state');
  const after = { ...event, ...fields };
  if (isOfFee && !isFee(model, after.serviceId, after.disciplineId)) codes.push('validation_failed');
  if ((isDated || changed.includes('reserveAt')) && !areDatesPossible(after)) codes.push('validation_failed');
  const file = stage === undefined ? undefined : model.files.get(sent.files?.[stage] ?? '');
  if (stage !== undefined && (file?.ownerId !== by.accountId || file.mime !== 'application/pdf')) codes.push('validation_failed');
  return verdict(codes);
}

/** Whether the stage waits for its organizer, after all earlier ones; results after the end of the event (EVT-2, EVT-3, EVT-7). */
function isStageOpen(event: Event, stage: StageName, now: Date): boolean {
  const { status } = event.stages[stage];
  if (!isLivingEvent(event) || !isInTurn(event, stage) || (status !== 'open' && status !== 'changes')) return false;
  return stage !== 'results' || now.getTime() >= event.endsAt;
}

/** The order is judged before the content (EVT-2). */
function judgeSubmission(model: Model, event: Event, stage: StageName, now: Date): Judgement {
  if (stage === 'agreement') return refuse('validation_failed');
  if (!isStageOpen(event, stage, now)) return refuse('stage_not_open', ...(isLivingEvent(event) ? [] : ['invalid_state']));
  const isMissing = stage !== 'details' && event.stages[stage].fileId === null;
  const isEmpty = stage === 'results' && ![...model.participants.values()].some(({ eventId }) => eventId === event.id);
  return isMissing || isEmpty ? refuse('validation_failed') : 'accept';
}

/** The owner while nothing is published, an administrator at any time (EVT-9). */
function judgeCancellation(model: Model, { by, body }: Asked, event: Event | undefined): Judgement {
  if (!isExplained((body as { reason: string }).reason)) return refuse('validation_failed');
  const isAdministrator = actsAsAdministrator(model, by);
  if (!event || (!isAdministrator && ownerOf(model, event.profileId) !== by.accountId)) return refuse('not_found');
  if (event.status === 'cancelled') return refuse('invalid_state');
  return isAdministrator || event.status === 'draft' || event.status === 'in_progress' ? 'accept' : refuse('invalid_state');
}

/** A note or reason of 5 to 3000 characters (REV-1). */
export function isExplained(text: string | undefined): boolean {
  const { length } = [...(text ?? '')];
  return length >= 5 && length <= 3000;
}

/** The intake opens before the start and closes after it opened (EVT-14). */
function judgeSettings(event: Event, { body }: Asked): Judgement {
  if (!isLivingEvent(event)) return refuse('invalid_state');
  const { opens_at: opens, closes_at: closes } = body as { opens_at?: string | null; closes_at?: string | null };
  const [opensAt, closesAt] = [instantOf(opens ?? null, 'first'), instantOf(closes ?? null, 'last')];
  if (opensAt !== null && opensAt >= event.startsAt) return refuse('validation_failed');
  if (opensAt !== null && closesAt !== null && closesAt <= opensAt) return refuse('validation_failed');
  // The rule says when it closes, not whether a later date may be named.
  return closesAt === null || closesAt <= event.endsAt ? 'accept' : 'open';
}

/**
 * A decision on a submitted stage after all earlier ones; on details once the fee is paid, and approved only while the event is as its
 * agreement says (EVT-2, EVT-3, EVT-4, EVT-6, REV-5). A repeat of the last decision changes nothing (NOT-1).
 */
export function judgeStageDecision(model: Model, decided: Decision): Judgement {
  const event = model.events.get(decided.id);
  if (!event) return refuse('not_found');
  const name = decided.stage as StageName;
  // A contract decides it (EVT-3).
  if (name === 'agreement') return refuse('invalid_state');
  const stands = versionStands(model, `event_stage/${event.id}/${name}`, decided.updated_at);
  const codes = stands ? [] : ['stale_revision'];
  const { status } = event.stages[name];
  if (isStageRepeat(event, name, decided)) return verdict(codes);
  if (status !== 'submitted') codes.push('invalid_state');
  else {
    if (name === 'details' && !isPaidFee(model, event)) codes.push('fee_unpaid');
    if (decided.decision === 'approve' && !isInTurn(event, name)) codes.push('stage_not_open');
    if (decided.decision === 'approve' && name === 'details' && differencesOf(model, event).length > 0) codes.push('agreement_differs');
  }
  return verdict(codes);
}

/** Whether the decision is the last one again. */
export function isStageRepeat(event: Event, name: StageName, { decision, note }: Decision): boolean {
  const { status, note: last } = event.stages[name];
  if (decision === 'approve') return status === 'approved';
  const isSameNote = last !== null && last === note;
  return isSameNote && (decision === 'changes' ? status === 'changes' : event.status === 'cancelled');
}
