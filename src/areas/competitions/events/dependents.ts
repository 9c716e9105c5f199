import type { CommandContext } from '../../../platform/context.ts';
import type { Database } from '../../../platform/database/database.ts';
import { definePoint } from '../../../platform/extensions.ts';
import type { ProcessRef } from '../../../platform/process-ref.ts';

/** Records of an upper area that stand on events: a registration, a contract. */
export interface EventDependents {
  /** Processes that must look again when an event is published, completed or cancelled. */
  listLiving(db: Database, eventId: number): Promise<ProcessRef[]>;
  /** For records of which an event may have thousands: makes them due, in one statement; the sweeper drives them at its own pace. */
  makeDue?(ctx: CommandContext, eventId: number): Promise<void>;
}

export const eventDependents = definePoint<EventDependents>('what stands on an event');

/** Lets what stands on an event look at it again; what the event's row holds must be flushed before. */
export async function wakeDependents(ctx: CommandContext, eventId: number): Promise<void> {
  for (const { listLiving, makeDue } of ctx.extensions.of(eventDependents)) {
    for (const ref of await listLiving(ctx.db, eventId)) ctx.wake(ref);
    await makeDue?.(ctx, eventId);
  }
}
