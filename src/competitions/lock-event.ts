import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockAllForChange, lockForChange } from '../platform/database/lock.ts';
import type { Locked } from '../platform/database/lock.ts';
import { EventEntity, EventStageEntity } from './entities.ts';
import type { Event, EventStage } from './entities.ts';
import { byName, findFacts } from './queries.ts';
import type { EventRecord } from './record.ts';
import type { StageName } from './states.ts';

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
