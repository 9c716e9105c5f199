import type { Event, Limit } from '../competitions/competition-records.ts';
import type { Touched } from '../area.ts';
import type { Exchange } from '../exchange.ts';
import type { Inquiry } from '../inquiry.ts';
import type { Model } from '../model.ts';
import { tell } from '../notifications/told.ts';
import type { Registration } from './registration-records.ts';
import { athleteOf, eventOf, registrationsOf } from './registrations-of.ts';

const hourMs = 3_600_000;
/** Answers and clocks differ by a moment. */
const momentMs = 10_000;

/** Statuses that take a place of a class with a capacity (REG-20). */
export function isPlaced({ status }: Pick<Registration, 'status'>): boolean {
  return status === 'submitted' || status === 'returned' || status === 'approved' || status === 'offered';
}

/** A class that was set without a limit, or that is no class of the event, has none (EVT-22). */
export function limitOf({ settings }: Event, name: string): Limit {
  return settings?.limits[name] ?? { capacity: null, waitingList: false, offerHours: 48 };
}

/** How many have a place of a class, and who waits for one, the first first (REG-20, REG-21). */
export function standingOf(model: Model, eventId: number, name: string): { taken: number; line: Registration[] } {
  const ofClass = registrationsOf(model, eventId).filter((one) => one.class === name);
  const line = ofClass.filter(({ status }) => status === 'waiting');
  return {
    taken: ofClass.filter(isPlaced).length,
    line: line.toSorted((left, right) => (left.queue ?? 0) - (right.queue ?? 0) || left.id - right.id),
  };
}

export type Outcome = 'kept' | 'place' | 'wait' | 'full';

/** What the rows of one batch get, in their order: a later one never overtakes one that waits (REG-20). */
export class Shares {
  readonly #event: Event;
  readonly #isSubmitted: boolean;
  readonly #model: Model;
  readonly #counts = new Map<string, { taken: number; waiting: number }>();

  constructor(model: Model, eventId: number, isSubmitted: boolean) {
    this.#model = model;
    this.#event = eventOf(model, eventId);
    this.#isSubmitted = isSubmitted;
  }

  take(before: Registration | null | undefined, name: string): Outcome {
    const hasPlace = before != null && isPlaced(before);
    if (hasPlace ? before.class === name : !this.#isSubmitted) return 'kept';
    const { capacity, waitingList } = limitOf(this.#event, name);
    const count = this.#countOf(name);
    if (capacity !== null && (count.waiting > 0 || count.taken >= capacity)) {
      if (!waitingList || !this.#isSubmitted) return 'full';
      count.waiting += 1;
    } else count.taken += 1;
    if (hasPlace) this.#countOf(before.class).taken -= 1;
    return capacity !== null && count.waiting > 0 ? 'wait' : 'place';
  }

  #countOf(name: string): { taken: number; waiting: number } {
    const known = this.#counts.get(name);
    if (known) return known;
    const { taken, line } = standingOf(this.#model, this.#event.id, name);
    const count = { taken, waiting: line.length };
    this.#counts.set(name, count);
    return count;
  }
}

/** Free places are offered to the first of each line, until the intake closes and before the start (REG-21). */
export function offerPlaces(model: Model, eventId: number, at: Date): Touched[] {
  const event = eventOf(model, eventId);
  const { settings, startsAt, endsAt } = event;
  const closing = settings?.closesAt == null ? startsAt : Math.min(settings.closesAt, endsAt);
  if (settings === null || event.status !== 'published' || at.getTime() >= Math.min(closing, startsAt)) return [];
  const touched: Touched[] = [];
  for (const name of settings.classes)
    for (;;) {
      const { taken, line } = standingOf(model, eventId, name);
      const { capacity } = limitOf(event, name);
      const [first] = line;
      if (!first || (capacity !== null && taken >= capacity)) break;
      offer(model, first, at);
      touched.push({ kind: 'registration', id: first.id });
    }
  return touched;
}

function offer(model: Model, registration: Registration, at: Date, byHand?: Exchange): void {
  const { id, eventId, class: name } = registration;
  const event = eventOf(model, eventId);
  const end = Math.min(at.getTime() + limitOf(event, name).offerHours * hourMs, event.startsAt);
  Object.assign(registration, { status: 'offered', queue: null, offeredUntil: end });
  if (byHand) model.noted(byHand, 'registration.offered', 'registration', id);
  else model.happened('registration.offered', 'registration', id);
  registration.history.push({ status: 'offered', actor: byHand ? 'organizer' : 'registry', reason: null, start_number: null });
  tell(model, athleteOf(model, registration), 'registration.offered', id);
}

/** The organizer offers a place by hand (REG-21). */
export function offerByHand(model: Model, registration: Registration, exchange: Exchange): void {
  offer(model, registration, exchange.at, exchange);
}

/** Offers that ran out by now: the first goes to the end of the line, the second withdraws (REG-21). */
export function endOffers(model: Model, now: Date): Touched[] {
  const ended = [...model.registrations.values()].filter(
    ({ status, offeredUntil, eventId }) =>
      status === 'offered' && (offeredUntil ?? 0) <= now.getTime() && eventOf(model, eventId).status !== 'cancelled',
  );
  for (const registration of ended) {
    const { id, missedOffer } = registration;
    Object.assign(registration, {
      status: missedOffer ? 'withdrawn' : 'waiting',
      queue: missedOffer ? null : model.nextInLine(),
      offeredUntil: null,
      missedOffer: true,
    });
    model.happened(`registration.${missedOffer ? 'withdrawn' : 'requeued'}`, 'registration', id);
    registration.history.push({ status: registration.status, actor: 'registry', reason: null, start_number: null });
    tell(model, athleteOf(model, registration), 'registration.offer_expired', id);
  }
  const events = new Set(ended.map(({ eventId }) => eventId));
  return [
    ...ended.map(({ id }): Touched => ({ kind: 'registration', id })),
    ...[...events].flatMap((eventId) => offerPlaces(model, eventId, now)),
  ];
}

/** Whether an offer stands at an instant; null when the instant is too close to its end to say. */
export function isOfferOpen({ status, offeredUntil }: Registration, now: Date): boolean | null {
  if (status !== 'offered' || offeredUntil === null) return false;
  const left = offeredUntil - now.getTime();
  return Math.abs(left) < momentMs ? null : left > 0;
}

/** A registration shows its place in the line, and until when it can be accepted (REG-21). */
export function askPlace(
  { model, same }: Inquiry,
  registration: Registration,
  seen: { waiting_place: number | null; offered_until: string | null },
): void {
  const { id, eventId, class: name, status, offeredUntil } = registration;
  const place = status === 'waiting' ? standingOf(model, eventId, name).line.indexOf(registration) + 1 : null;
  same(`registration ${id} shows its place in the line (REG-21)`, place, seen.waiting_place);
  const shown = seen.offered_until === null ? null : Date.parse(seen.offered_until);
  const isNear = shown !== null && offeredUntil !== null && Math.abs(shown - offeredUntil) < momentMs;
  same(`registration ${id} shows until when its place is offered (REG-21)`, true, isNear || (shown === null && offeredUntil === null));
}

/** Visitors see how full each class is (REG-20). */
export async function askPlaces({ model, publicly, same }: Inquiry, event: Event): Promise<void> {
  const shown = await publicly('GET /events/public/{id}', { params: { id: event.id } });
  if (shown.status !== 200) return;
  const expected = (event.settings?.classes ?? []).map((name) => {
    const { taken, line } = standingOf(model, event.id, name);
    return { class: name, capacity: limitOf(event, name).capacity, taken, waiting: line.length };
  });
  same(`the public event ${event.id} shows the places of its classes (REG-20)`, expected, shown.data.places);
}
