import type { CommandContext } from '../platform/context.ts';
import { holdUnchanged } from '../platform/database/lock.ts';
import { DomainError } from '../errors.ts';
import { EventEntity } from './entities.ts';
import { requireEventOwner } from './policy.ts';
import { findEvent } from './queries.ts';
import type { EventRecord } from './record.ts';

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
