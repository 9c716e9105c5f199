import type { Area } from '../area.ts';
import type { Model } from '../model.ts';
import { athleteOf, eventOf, isEligible, isLive, organizerOf } from '../registrations/registrations-of.ts';
import { mayTell, mustTell, tell } from './told.ts';

/** Draws its conclusions before each request, from what the last step and its questions have settled. */
export const settlingArea: Area = {
  judge(model, _asked, now) {
    settleRegistrations(model, now, false);
    return null;
  },
};

/**
 * Notes what both sides of each registration must have been told by now: once of a lapse, once when it is eligible again, as long as its
 * event lasts (REG-6), and the athlete of a cancelled event (REG-15).
 * @param isAtRest whether the step is over; a lapse that the same step ends may pass before the process looks
 */
export function settleRegistrations(model: Model, now: Date, isAtRest: boolean): void {
  for (const registration of model.registrations.values()) {
    if (!isLive(registration)) continue;
    const { id, eventId } = registration;
    const event = eventOf(model, eventId);
    const owner = athleteOf(model, registration);
    if (event.status === 'cancelled' && !registration.isToldOfCancellation) {
      registration.isToldOfCancellation = true;
      tell(model, owner, 'registration.event_cancelled', id);
    }
    if (event.status !== 'published' || now.getTime() >= event.endsAt) continue;
    const isOk = isEligible(model, registration, now);
    const fact = isOk ? 'registration.eligible_again' : 'registration.lapsed';
    const organizer = organizerOf(model, eventId);
    const sides = registration.wasSubmitted && organizer !== owner ? [owner, organizer] : [owner];
    if (isOk !== registration.isSeenEligible) {
      registration.isSeenEligible = isOk;
      model.mayHappen(fact, 'registration', id);
      for (const side of sides) mayTell(model, side, fact, id);
    }
    if (!isAtRest || isOk === registration.isKnownEligible) continue;
    registration.isKnownEligible = isOk;
    model.hasHappened(fact, 'registration', id);
    for (const side of sides) mustTell(model, side, fact, id);
  }
}
