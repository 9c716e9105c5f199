import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { holdUnchanged, lockAllForChange, type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Event, EventEntity, type EventStage, EventStageEntity } from '../entities.ts';
import { requireEventOwner } from '../policy.ts';
import { byName, findEvent, findFacts } from './queries.ts';
import type { EventRecord } from './record.ts';
import type { StageName } from './states.ts';

/**
 * The caller's event for a command that leaves it as it is: until the end nobody moves its stages or its dates, since whoever does takes
 * its row for a change (`lockEvent`). Commands of one event do not wait for each other here.
 * @throws {DomainError} not_found when there is no such event or it is another's
 */
export async function holdOwnEvent(ctx: CommandContext, eventId: number): Promise<EventRecord> {
  requireEventOwner(ctx.actor, await holdUnchanged(ctx.em, EventEntity, { id: eventId }));
  const record = await findEvent(ctx.db, eventId);
  if (record === null) throw new DomainError('not_found');
  return record;
}

/** The record of an event under its locks: `event` and `stages` are what a command changes, the rest is what it decides by. */
export interface LockedEvent extends EventRecord {
  event: Locked<Event>;
  stages: Record<StageName, Locked<EventStage>>;
}

/**
 * Takes the locks under which an event changes, its own row first and its stages after it, and reads what it stands on.
 * @throws {DomainError} not_found
 */
export async function lockEvent(ctx: CommandContext, id: number): Promise<LockedEvent> {
  const event = await lockForChange(ctx.em, EventEntity, { id });
  if (!event) throw new DomainError('not_found');
  const stages = await lockAllForChange(ctx.em, EventStageEntity, { eventId: id }, { stage: 'asc' });
  const facts = await findFacts(ctx.db, id);
  if (!facts) throw new Error(`event ${id} vanished under its own transaction`);
  return { id, event, stages: byName(stages), ...facts };
}
