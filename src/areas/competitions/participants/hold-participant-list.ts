import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { holdOwnEvent } from '../events/lock-event.ts';
import type { EventRecord } from '../events/record.ts';
import { areParticipantsOpen } from '../events/states.ts';

/**
 * Locks the caller's event with an open list of participants (EVT-7). Results cannot be submitted before the transaction ends.
 * @throws {DomainError} not_found; participants_closed with the status of the event and of its results
 */
export async function holdOpenParticipantList(ctx: CommandContext, eventId: number): Promise<EventRecord> {
  const record = await holdOwnEvent(ctx, eventId);
  if (areParticipantsOpen(record)) return record;
  const { event, stages } = record;
  const message = event.status === 'published' ? undefined : 'Participants are kept while the event is published.';
  throw new DomainError('participants_closed', { status: event.status, results: stages.results.status }, message);
}
