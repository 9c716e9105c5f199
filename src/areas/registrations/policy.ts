import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor } from '../../platform/context.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../audit/index.ts';
import type { Registration } from './entities.ts';
import type { RegistrationRecord } from './record.ts';

/** @throws {DomainError} not_found, for anyone but the athlete's account: another's registration is as if it were not there */
export function requireAthlete(actor: Actor, { id, ownerId }: Pick<Registration, 'id' | 'ownerId'>): void {
  if (actingUserId(actor) !== ownerId) throw refusalOf('not_found', { kind: 'registration', id });
}

/** Whether the organizer may see it: a registration that was never submitted is the athlete's alone (decisions.md §6). */
export function isShownToOrganizer({ submittedAt }: Pick<Registration, 'submittedAt'>): boolean {
  return submittedAt !== null;
}

/** @throws {DomainError} not_found, for anyone but the organizer of its event, and for one that was never submitted */
export function requireOrganizer(actor: Actor, { registration, event }: Pick<RegistrationRecord, 'registration' | 'event'>): void {
  if (actingUserId(actor) !== event.ownerId || !isShownToOrganizer(registration))
    throw refusalOf('not_found', { kind: 'registration', id: registration.id });
}

/**
 * Reading is for the athlete's account and for administrators with `admin:read`; the organizer reads through the event.
 * @param part what of the registration is read, where it is not the whole
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
