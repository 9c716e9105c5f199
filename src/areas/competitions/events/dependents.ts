import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { ProcessRef } from '../../../platform/workflows/process-ref.ts';
import type { EventStatus } from './states.ts';

/** How full a class is (REG-20). */
export interface PlaceCount {
  taken: number;
  waiting: number;
}

/** Records of an upper area that depend on events: registrations, contracts. */
export interface EventDependents {
  /** Lists the processes to wake when an event is published, completed or cancelled. */
  listLiving(db: Database, eventId: number): Promise<ProcessRef[]>;
  /** Marks the records as due in one statement, for kinds with thousands of records an event; the sweeper then runs them in pages. */
  makeDue?(ctx: CommandContext, event: { id: number; status: EventStatus }): Promise<void>;
  /** Counts the records that wait for the organizer. */
  countUndecided?(db: Database, eventId: number): Promise<number>;
  /** Counts the taken places and the waiting registrations of each class (REG-20). */
  countPlaces?(db: Database, eventId: number): Promise<ReadonlyMap<string, PlaceCount>>;
  /** Offers free places to those who wait (REG-21). The caller has locked the event. */
  offerPlaces?(ctx: CommandContext, eventId: number): Promise<void>;
}

export const eventDependents = definePoint<EventDependents>('dependents of an event');

/** Wakes the processes that depend on an event. Flush the event's row first. */
export async function wakeDependents(ctx: CommandContext, event: { id: number; status: EventStatus }): Promise<void> {
  for (const { listLiving, makeDue } of ctx.extensions.of(eventDependents)) {
    for (const ref of await listLiving(ctx.db, event.id)) ctx.wake(ref);
    await makeDue?.(ctx, event);
  }
}
