import { dayOf } from '../../platform/date-time.ts';
import { competitionSpan } from '../competitions/index.ts';
import type { Eligibility } from './eligibility.ts';
import { eligibilityOfRecord, type RegistrationRecord } from './record.ts';
import { isLiving } from './states.ts';

/**
 * What a registration's process does without anybody asking. `lapse`, `restore`: it does not stand on the days that are left of its event
 * any more, or does so again, and the two sides are told · `release`: its event was cancelled, and its athlete is told.
 */
export type DueStep = 'lapse' | 'restore' | 'release';

/**
 * What has become due for a registration at an instant (decisions.md §6): each once, since the row keeps what was told. The process and
 * what is shown of it both ask here.
 */
export function dueStep(record: RegistrationRecord, now: Date): DueStep | null {
  const { registration, event } = record;
  if (!isLiving(registration.status)) return null;
  // While it is to be looked at, nobody was told of the cancellation.
  if (event.status === 'cancelled') return registration.dueAt === null ? null : 'release';
  if (hasEnded(record, now)) return null;
  const { ok } = eligibilityAhead(record, now);
  if (ok === (registration.ineligibleSince === null)) return null;
  return ok ? 'restore' : 'lapse';
}

/** Whether nothing of its event is left that it could stand on. */
export function hasEnded({ event }: Pick<RegistrationRecord, 'event'>, now: Date): boolean {
  return event.status !== 'published' || now >= event.endsAt;
}

/** Whether it stands on the days that are left of its event, the present one among them. */
export function eligibilityAhead(record: RegistrationRecord, now: Date): Eligibility {
  const today = dayOf(now);
  const { first, last } = competitionSpan(record.event);
  return eligibilityOfRecord(record, { first: first > today ? first : today, last });
}
