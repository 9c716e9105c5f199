import { DomainError } from '../../errors.ts';
import { actingUserId, type Actor } from '../../platform/context.ts';
import { refusalOf } from '../../platform/security-log.ts';
import { authorizeReading, type Reading } from '../audit/index.ts';
import type { Profile } from '../profiles/index.ts';
import type { Event } from './entities.ts';
import type { EventRecord } from './events/record.ts';

/** @throws {DomainError} not_found, for every caller but the owner (API-3) */
export function requireEventOwner<Row extends Pick<Event, 'id' | 'ownerId'>>(actor: Actor, event: Row | null): Row {
  if (event === null) throw new DomainError('not_found');
  if (actingUserId(actor) !== event.ownerId) throw refusalOf('not_found', { kind: 'event', id: event.id });
  return event;
}

/** @throws {DomainError} not_found, also for another account's profile (API-3) */
export function requireOwnProfile(actor: Actor, profile: Readonly<Profile> | null): Readonly<Profile> {
  if (profile === null) throw new DomainError('not_found', { field: 'profile_id' });
  if (actingUserId(actor) !== profile.ownerId) throw refusalOf('not_found', { kind: 'profile', id: profile.id });
  return profile;
}

/**
 * Allows reading for the owner and for administrators with `admin:read`.
 * @param part the part of the event that is read; the whole without it
 * @throws {DomainError} not_found
 */
export async function requireEventReader(reading: Reading, record: EventRecord | null, part?: string): Promise<EventRecord> {
  if (record === null) throw new DomainError('not_found');
  await authorizeReading(reading, { kind: 'event', id: record.id }, record.event.ownerId, part);
  return record;
}
