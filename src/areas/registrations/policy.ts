import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor } from '../../platform/commands/context.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { ownerCheck, readerCheck } from '../audit/index.ts';
import type { Registration } from './entities.ts';
import type { RegistrationRecord } from './queries.ts';

/** @throws {DomainError} not_found, for every caller but the athlete's account (API-3) */
export const requireAthlete = ownerCheck('registration');

/** Whether the organizer may see a registration: only once it was submitted (REG-8). */
export function isShownToOrganizer({ submittedAt }: Pick<Registration, 'submittedAt'>): boolean {
  return submittedAt !== null;
}

/** @throws {DomainError} not_found, for every caller but the event's organizer, and unless it was submitted (REG-8) */
export function requireOrganizer(actor: Actor, { registration, event }: Pick<RegistrationRecord, 'registration' | 'event'>): void {
  if (actingUserId(actor) !== event.ownerId || !isShownToOrganizer(registration))
    throw refusalOf('not_found', { kind: 'registration', id: registration.id });
}

/**
 * Requires that the organizer may act on a registration now.
 * @throws {DomainError} not_found, also for another event's registration and for a draft (REG-8); invalid_state unless the event is published
 */
export function requireDecidable(actor: Actor, record: Pick<RegistrationRecord, 'registration' | 'event'>, eventId: number): void {
  if (record.registration.eventId !== eventId) throw new DomainError('not_found');
  requireOrganizer(actor, record);
  const { status } = record.event;
  if (status !== 'published') throw new DomainError('invalid_state', { event_status: status }, 'The event is completed or cancelled.');
}

/** Allows reading for the athlete's account and for administrators with `admin:read`; the organizer reads through the event. */
export const requireRegistrationReader = readerCheck<RegistrationRecord>('registration', ({ registration }) => registration);
