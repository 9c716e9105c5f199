import { sql } from 'kysely';
import { type Database, inList } from '../../../platform/database/database.ts';
import { literals } from '../../../platform/database/literals.ts';
import { closingOf, type EventRecord, type PlaceCount } from '../../competitions/index.ts';
import { placedStatuses, type RegistrationStatus } from '../states.ts';

const placed = literals(placedStatuses);
const counted = literals<RegistrationStatus>([...placedStatuses, 'waiting']);

/**
 * Locks classes of an event until the transaction ends (REG-20). Each command that takes or offers a place does so before it counts.
 *
 * Lock order: the caller's own registrations, classes, registrations that wait.
 */
export async function lockClasses(db: Database, eventId: number, classes: readonly string[]): Promise<void> {
  const hashes = sql`(select distinct hashtext(name) as hash from unnest(${[...classes]}::text[]) as n (name) order by 1)`;
  await sql`select pg_advisory_xact_lock(${eventId}, hash) from ${hashes} as h`.execute(db);
}

/** Counts the taken places and the waiting registrations by class (REG-20). Uses registrations_places_index. */
export async function countPlaces(db: Database, eventId: number, classes?: readonly string[]): Promise<Map<string, PlaceCount>> {
  const rows = await db
    .selectFrom('registrations')
    .where('eventId', '=', eventId)
    .where('status', 'in', counted)
    .$if(classes !== undefined, (chosen) => chosen.where('class', '=', inList(classes ?? [])))
    .groupBy('class')
    .select((eb) => [
      'class',
      eb.cast<number>(eb.fn.countAll().filterWhere('status', 'in', placed), 'integer').as('taken'),
      eb.cast<number>(eb.fn.countAll().filterWhere('status', '=', 'waiting'), 'integer').as('waiting'),
    ])
    .execute();
  return new Map(rows.map(({ class: name, taken, waiting }) => [name, { taken, waiting }]));
}

export const emptyClass: PlaceCount = { taken: 0, waiting: 0 };

/** Whether free places of an event are offered at an instant: until its intake closes, and before its start (REG-21). */
export function offersPlaces(event: EventRecord['event'], settings: NonNullable<EventRecord['settings']>, now: Date): boolean {
  return event.status === 'published' && now < closingOf(event, settings) && now < event.startsAt;
}

/** When an offer runs out: at its time, at the latest with the start of the event (REG-21). */
export function offerEndOf({ offeredUntil }: { offeredUntil: Date }, { startsAt }: { startsAt: Date }): Date {
  return offeredUntil < startsAt ? offeredUntil : startsAt;
}
