import { DomainError } from '../../errors.ts';
import { refusalOf } from '../../platform/security-log.ts';
import type { Conversation } from './entities.ts';
import { type Perspective, perspectives } from './sides.ts';

/** @throws {DomainError} not_found, for a perspective that there is not */
export function requirePerspective(word: string): Perspective {
  const perspective = perspectives.find((known) => known === word);
  if (perspective === undefined) throw new DomainError('not_found');
  return perspective;
}

/**
 * What is said about a registration is for its athlete and the organizer of the event, each as what he is: for administrators too it is as if it
 * were not there (decisions.md §8).
 * @throws {DomainError} not_found, also of a draft, about which nobody converses
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
