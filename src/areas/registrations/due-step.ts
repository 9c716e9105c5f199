import { dayOf } from '../../platform/date-time.ts';
import { competitionSpan } from '../competitions/index.ts';
import type { Eligibility } from './eligibility.ts';
import { eligibilityOfRecord, type RegistrationRecord } from './record.ts';
import { isLiving } from './states.ts';

/**
 * Scheduled steps of a registration's process. `lapse`, `restore`: it stops or resumes being eligible on the remaining days of its event,
 * and both sides are notified (REG-6) · `release`: its event was cancelled, and the athlete is notified (REG-15).
 */
export type DueStep = 'lapse' | 'restore' | 'release';

/**
 * Returns the step of a registration that is due at an instant. Each runs once, because the row records it. The process and its
 * description share this function.
 */
export function dueStep(record: RegistrationRecord, now: Date): DueStep | null {
  const { registration, event } = record;
  if (!isLiving(registration.status)) return null;
  // `dueAt` is set until the athlete has been notified of the cancellation.
  if (event.status === 'cancelled') return registration.dueAt === null ? null : 'release';
  if (hasEnded(record, now)) return null;
  const { ok } = eligibilityAhead(record, now);
  if (ok === (registration.ineligibleSince === null)) return null;
  return ok ? 'restore' : 'lapse';
}

/** Whether the event is over for its registrations: not published, or past its end. */
export function hasEnded({ event }: Pick<RegistrationRecord, 'event'>, now: Date): boolean {
  return event.status !== 'published' || now >= event.endsAt;
}

/** Judges eligibility on the remaining days of the event, today included. */
export function eligibilityAhead(record: RegistrationRecord, now: Date): Eligibility {
  const today = dayOf(now);
  const { first, last } = competitionSpan(record.event);
  return eligibilityOfRecord(record, { first: first > today ? first : today, last });
}
