import { DomainError } from '../../errors.ts';
import { refusalOf } from '../../platform/security-log.ts';
import type { Conversation } from './entities.ts';
import { type Perspective, perspectives } from './sides.ts';

/** @throws {DomainError} not_found for an unknown perspective */
export function requirePerspective(word: string): Perspective {
  const perspective = perspectives.find((known) => known === word);
  if (perspective === undefined) throw new DomainError('not_found');
  return perspective;
}

/**
 * Admits only the athlete and the organizer of a registration, each to their own side; administrators get 404 as well (MSG-2).
 * @throws {DomainError} not_found, also for a draft (MSG-3)
 */
export function requireParty<Found extends Pick<Conversation, 'registrationId' | 'athleteId' | 'organizerId'>>(
  conversation: Found | null,
  perspective: Perspective,
  userId: number | null,
): Found {
  if (conversation === null) throw new DomainError('not_found');
  const { registrationId, athleteId, organizerId } = conversation;
  if (userId === null || (perspective === 'athlete' ? athleteId : organizerId) !== userId)
    throw refusalOf('not_found', { kind: 'registration', id: registrationId ?? 0 });
  return conversation;
}
