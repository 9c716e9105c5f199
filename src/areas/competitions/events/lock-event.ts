import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { holdUnchanged, lockAllForChange, type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type Event, EventEntity, type EventStage, EventStageEntity } from '../entities.ts';
import { requireEventOwner } from '../policy.ts';
import { byName, findEvent, findFacts } from './queries.ts';
import type { EventRecord } from './record.ts';
import type { StageName } from './states.ts';

/**
 * Takes a shared lock on the caller's event, for a command that does not change it. Changes of stages and dates (`lockEvent`) wait until
 * the transaction ends; other shared locks do not.
 * @throws {DomainError} not_found, also for another account's event (API-3)
 */
export async function holdOwnEvent(ctx: CommandContext, eventId: number): Promise<EventRecord> {
  requireEventOwner(ctx.actor, await holdUnchanged(ctx.em, EventEntity, { id: eventId }));
  const record = await findEvent(ctx.db, eventId);
  if (record === null) throw new DomainError('not_found');
  return record;
}

/** A locked event: a command changes `event` and `stages` and reads the rest. */
export interface LockedEvent extends EventRecord {
  event: Locked<Event>;
  stages: Record<StageName, Locked<EventStage>>;
}

/**
 * Locks an event for a change, its row before its stages, and reads its settings and its fee.
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
