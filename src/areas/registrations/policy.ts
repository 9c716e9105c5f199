import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor } from '../../platform/context.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../audit/index.ts';
import type { Registration } from './entities.ts';
import type { RegistrationRecord } from './queries.ts';

/** @throws {DomainError} not_found, for every caller but the athlete's account (API-3) */
export function requireAthlete(actor: Actor, { id, ownerId }: Pick<Registration, 'id' | 'ownerId'>): void {
  if (actingUserId(actor) !== ownerId) throw refusalOf('not_found', { kind: 'registration', id });
}

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
 * Allows reading for the athlete's account and for administrators with `admin:read`; the organizer reads through the event.
 * @param part the part of the registration that is read; the whole without it
 * @throws {DomainError} not_found
 */
export async function requireRegistrationReader(
  reading: Reading,
  record: RegistrationRecord | null,
  part?: string,
): Promise<RegistrationRecord> {
  if (record === null) throw new DomainError('not_found');
  await authorizeReading(reading, { kind: 'registration', id: record.id }, record.registration.ownerId, part);
  return record;
}
