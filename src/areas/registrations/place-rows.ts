import type { DomainError } from '../../errors.ts';
import type { Locked } from '../../platform/database/lock.ts';
import type { Registration } from './entities.ts';
import type { RegistrationFacts } from './queries.ts';
import type { Place } from './row-records.ts';

/** A valid row with the registration that it makes or replaces. */
export interface AcceptedRow {
  /** The registration that the row replaces; null for a new one. */
  registration: Locked<Registration> | null;
  profileId: number;
  class: string;
  vehicle: Record<string, string>;
  applicationIds: readonly number[];
  facts: RegistrationFacts;
  isEligible: boolean;
  /** Its place in the line of a full class, from 1; null when it has a place, or needs none (REG-21). */
  waitingPlace: number | null;
}

/** `holderId`: the registration that holds the place; null when an earlier row creates it. */
export type PlacedRow = AcceptedRow | { refusal: DomainError } | { isTakenAt: string; holderId: number | null };

/** Key of a place within an event, as in `registrations_live_unique` (REG-2). */
export function placeOf(place: Pick<Place, 'profileId' | 'class'>): string {
  return `${place.profileId} ${place.class}`;
}

/**
 * Assigns places to rows, in their order. A row that moves its registration to another class frees its place for later rows.
 * Registrations that swap places move together.
 */
export function placeRows(judged: readonly (AcceptedRow | { refusal: DomainError })[], places: readonly Place[]): PlacedRow[] {
  const holders = new Map<string, number | null>(places.map((place) => [placeOf(place), place.id]));
  const moving = new Map<number, AcceptedRow>();
  for (const row of judged) if ('facts' in row && row.registration !== null) moving.set(row.registration.id, row);
  return judged.map((row): PlacedRow => {
    if ('refusal' in row) return row;
    const { registration } = row;
    const place = placeOf(row);
    const holder = holders.get(place);
    if (holder !== undefined && (holder === null || holder !== registration?.id)) {
      const cycle = registration === null ? null : cycleOf(row, registration, holders, moving);
      if (cycle === null) {
        if (registration !== null) moving.delete(registration.id);
        return { isTakenAt: place, holderId: holder };
      }
      for (const [id, taken] of cycle) holders.set(taken, id);
    } else {
      if (registration !== null && holders.get(placeOf(registration)) === registration.id) holders.delete(placeOf(registration));
      holders.set(place, registration?.id ?? null);
    }
    if (registration !== null) moving.delete(registration.id);
    return row;
  });
}

/** Finds the cycle of swapped places that starts at this row, with the new place of each registration; null without a cycle. */
function cycleOf(
  row: AcceptedRow,
  registration: Readonly<Registration>,
  holders: ReadonlyMap<string, number | null>,
  moving: ReadonlyMap<number, AcceptedRow>,
): ReadonlyMap<number, string> | null {
  const cycle = new Map([[registration.id, placeOf(row)]]);
  for (let place = placeOf(row); place !== placeOf(registration);) {
    const holder = holders.get(place) ?? null;
    const next = holder === null ? undefined : moving.get(holder);
    if (holder === null || next === undefined || cycle.has(holder)) return null;
    place = placeOf(next);
    cycle.set(holder, place);
  }
  return cycle;
}
