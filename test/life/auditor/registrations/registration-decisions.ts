import { type Asked, type Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { athleteOf, doesCrewHold, eventOf, isEligible, noteWaitingChange, organizerOf, registrationsOf } from './registrations-of.ts';
import type { Registration } from './registration-records.ts';
import { tell } from '../notifications/told.ts';
import { isOfferOpen, limitOf, offerByHand, offerPlaces, standingOf } from './places.ts';

interface Decision {
  decision?: 'approve' | 'return' | 'reject' | 'offer';
  reason?: string | null;
  start_number?: string | null;
}

/** Only the organizer, of a submitted registration of a published event, with a reason unless approving (REG-5, REG-6, REG-8, REG-12, REG-14). */
export function judgeDecision(model: Model, { params, body, by }: Asked, now: Date): Judgement {
  const { decision, reason, start_number: startNumber } = body as Decision;
  const eventId = Number(params['id']);
  const registration = model.registrations.get(Number(params['registration_id']));
  const isHidden = registration?.eventId !== eventId || !registration.wasSubmitted || organizerOf(model, eventId) !== by.accountId;
  if (isHidden || !registration) return refuse('not_found', 'validation_failed');
  const length = [...(reason ?? '').trim()].length;
  const isNumberOnly = decision === undefined;
  if (isNumberOnly && (startNumber === undefined || reason !== undefined)) return refuse('validation_failed');
  if (decision === 'offer') return judgeOffer(model, registration, body as Decision, now);
  if (decision !== undefined && decision !== 'approve' && (length < 5 || length > 3000 || startNumber !== undefined))
    return refuse('validation_failed');
  if (eventOf(model, eventId).status !== 'published') return refuse('invalid_state');
  if (registration.status !== (isNumberOnly ? 'approved' : 'submitted')) return refuse('invalid_state');
  const codes: string[] = [];
  if (decision === 'approve' && !isEligible(model, registration, now)) codes.push('not_eligible');
  if (decision === 'approve' && !doesStandingCrewHold(model, registration)) codes.push('crew_not_valid');
  const isTaken = registrationsOf(model, eventId).some((one) => one.id !== registration.id && one.startNumber === startNumber);
  if (typeof startNumber === 'string' && isTaken) codes.push('start_number_taken');
  return codes.length === 0 ? 'accept' : refuse(...codes);
}

/** A free place is offered by hand to one that waits, until the start, also after the intake has closed (REG-21). */
function judgeOffer(model: Model, registration: Registration, { reason, start_number: startNumber }: Decision, now: Date): Judgement {
  if (reason !== undefined || startNumber !== undefined) return refuse('validation_failed');
  const event = eventOf(model, registration.eventId);
  if (event.status !== 'published' || registration.status !== 'waiting' || now.getTime() >= event.startsAt) return refuse('invalid_state');
  const { capacity } = limitOf(event, registration.class);
  const isClass = event.settings?.classes.includes(registration.class) === true;
  const { taken } = standingOf(model, registration.eventId, registration.class);
  return isClass && (capacity === null || taken < capacity) ? 'accept' : refuse('class_full');
}

/** The athlete takes an offered place until its end; it must be eligible as for a submission (REG-4, REG-21). */
export function judgeAcceptance(model: Model, { params, by }: Asked, now: Date): Judgement {
  const registration = model.registrations.get(Number(params['id']));
  if (!registration || athleteOf(model, registration) !== by.accountId) return refuse('not_found');
  const isOpen = isOfferOpen(registration, now);
  if (isOpen === null) return 'open';
  if (!isOpen || eventOf(model, registration.eventId).status !== 'published') return refuse('invalid_state');
  return isEligible(model, registration, now) ? 'accept' : refuse('not_eligible');
}

export function takeOverAcceptance(model: Model, id: number, exchange: Exchange): Touched[] {
  const registration = model.registrations.get(id);
  if (!registration) return [];
  Object.assign(registration, { status: 'submitted', offeredUntil: null });
  model.noted(exchange, 'registration.accepted', 'registration', id);
  noteWaitingChange(model, registration.eventId, exchange.at);
  addStep(registration, 'athlete', null);
  if (organizerOf(model, registration.eventId) !== athleteOf(model, registration))
    model.submittedAt.set(registration.eventId, exchange.at.getTime());
  return [{ kind: 'registration', id }];
}

/** The crew is judged again at approval; the earlier flow has none. */
function doesStandingCrewHold(model: Model, registration: Registration): boolean {
  const { id, eventId, crew } = registration;
  return crew.length === 0 || doesCrewHold(model, crew, { id, eventId, ownerId: athleteOf(model, registration), isWhole: true });
}

export function takeOverDecision(model: Model, id: number, exchange: Exchange): Touched[] {
  const registration = model.registrations.get(id);
  if (!registration) return [];
  const { decision, reason = null, start_number: startNumber = null } = exchange.body as Decision;
  const owner = athleteOf(model, registration);
  if (decision === 'offer') {
    offerByHand(model, registration, exchange);
    return [{ kind: 'registration', id }];
  }
  if (decision === undefined) {
    if (registration.startNumber === startNumber) return [{ kind: 'registration', id }];
    registration.startNumber = startNumber;
    tell(model, owner, 'registration.numbered', id);
  } else {
    registration.status = ({ approve: 'approved', return: 'returned', reject: 'rejected' } as const)[decision];
    registration.startNumber = decision === 'approve' ? startNumber : null;
    registration.reason = decision === 'approve' ? null : reason;
    tell(model, owner, `registration.${registration.status}`, id);
  }
  model.noted(exchange, `registration.${decision === undefined ? 'numbered' : registration.status}`, 'registration', id);
  noteWaitingChange(model, registration.eventId, exchange.at);
  addStep(registration, 'organizer', decision === undefined ? null : registration.reason);
  return [{ kind: 'registration', id }, ...offerPlaces(model, registration.eventId, exchange.at)];
}

/** The place and the start number become free, and the organizer is told of one that was submitted (REG-9). */
export function takeOverWithdrawal(model: Model, id: number, exchange: Exchange): Touched[] {
  const registration = model.registrations.get(id);
  if (!registration) return [];
  const organizerId = organizerOf(model, registration.eventId);
  Object.assign(registration, { status: 'withdrawn', startNumber: null, reason: null, queue: null, offeredUntil: null });
  model.noted(exchange, 'registration.withdrawn', 'registration', id);
  noteWaitingChange(model, registration.eventId, exchange.at);
  addStep(registration, 'athlete', null);
  if (registration.wasSubmitted && organizerId !== athleteOf(model, registration)) tell(model, organizerId, 'registration.withdrawn', id);
  return [{ kind: 'registration', id }, ...offerPlaces(model, registration.eventId, exchange.at)];
}

/** Notes a step of the history (REG-5, REG-9, REG-12). */
export function addStep(registration: Registration, actor: 'athlete' | 'organizer', reason: string | null): void {
  const { status, startNumber } = registration;
  registration.history.push({ status, actor, reason, start_number: startNumber });
}
