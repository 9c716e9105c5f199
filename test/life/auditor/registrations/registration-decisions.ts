import { type Asked, type Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import { type Judgement, refuse } from '../judgement.ts';
import type { Model } from '../model.ts';
import { athleteOf, doesCrewHold, eventOf, isEligible, noteWaitingChange, organizerOf, registrationsOf } from './registrations-of.ts';
import type { Registration } from './registration-records.ts';
import { tell } from '../notifications/told.ts';

interface Decision {
  decision?: 'approve' | 'return' | 'reject';
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
  noteWaitingChange(model, registration.eventId);
  addStep(registration, 'organizer', decision === undefined ? null : registration.reason);
  return [{ kind: 'registration', id }];
}

/** The place and the start number become free, and the organizer is told of one that was submitted (REG-9). */
export function takeOverWithdrawal(model: Model, id: number, exchange: Exchange): Touched[] {
  const registration = model.registrations.get(id);
  if (!registration) return [];
  const organizerId = organizerOf(model, registration.eventId);
  Object.assign(registration, { status: 'withdrawn', startNumber: null, reason: null });
  model.noted(exchange, 'registration.withdrawn', 'registration', id);
  noteWaitingChange(model, registration.eventId);
  addStep(registration, 'athlete', null);
  if (registration.wasSubmitted && organizerId !== athleteOf(model, registration)) tell(model, organizerId, 'registration.withdrawn', id);
  return [{ kind: 'registration', id }];
}

/** Notes a step of the history (REG-5, REG-9, REG-12). */
export function addStep(registration: Registration, actor: 'athlete' | 'organizer', reason: string | null): void {
  const { status, startNumber } = registration;
  registration.history.push({ status, actor, reason, start_number: startNumber });
}
