import { after, defineNotifications, reasonOf, words } from '../notifications/index.ts';
import type { NotificationFacts } from '../notifications/index.ts';

/**
 * What the two sides are told about a registration (decisions.md §8). `side`: whose words, `athlete` or `organizer`; `event_id`, `day`: the
 * first day on which it does not stand; `start_number`.
 */
export const registrationNotifications = defineNotifications({
  'registration.approved': (facts, id) =>
    words(
      'Registration approved',
      `Your registration ${id}${forEvent(facts)} has been approved.`,
      after('Start number: ', facts['start_number'], '.'),
    ),
  'registration.returned': (facts, id) =>
    words('Registration returned', `Your registration ${id}${forEvent(facts)} needs a correction; submit it again.`, reasonOf(facts)),
  'registration.rejected': (facts, id) =>
    words('Registration rejected', `Your registration ${id}${forEvent(facts)} has been rejected.`, reasonOf(facts)),
  'registration.withdrawn': (facts, id) =>
    words('Registration withdrawn', `The athlete has withdrawn registration ${id}${forEvent(facts)}.`),
  'registration.lapsed': (facts, id) =>
    words(
      'Registration no longer eligible',
      `${registrationOf(facts, id)}${forEvent(facts)} does not stand on every day of the competition any more${after(': first not on ', facts['day'])}.`,
      facts['side'] === 'athlete' ? 'Mend what lies behind it, or replace it; the registration itself stays as it is.' : '',
    ),
  'registration.eligible_again': (facts, id) =>
    words('Registration eligible again', `${registrationOf(facts, id)}${forEvent(facts)} stands on every day of the competition again.`),
  'registration.event_cancelled': (facts, id) =>
    words(
      'Competition cancelled',
      `The competition of your registration ${id}${after(', event ', facts['event_id'])}, has been cancelled.`,
    ),
});

function registrationOf(facts: NotificationFacts, id: string): string {
  return facts['side'] === 'athlete' ? `Your registration ${id}` : `Registration ${id}`;
}

function forEvent(facts: NotificationFacts): string {
  return after(' for event ', facts['event_id']);
}
