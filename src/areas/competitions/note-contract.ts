import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { AgreementTerms } from './agreement-terms.ts';
import { type Event, EventEntity } from './entities.ts';
import { markChanged } from './events/record-event-step.ts';
import { isLiving } from './events/states.ts';

/**
 * Takes the lock of an event alone, under which its contract changes; that of the contract is taken before it.
 * @throws {DomainError} not_found
 */
export async function lockEventRow(ctx: CommandContext, id: number): Promise<Locked<Event>> {
  const event = await lockForChange(ctx.em, EventEntity, { id });
  if (!event) throw new DomainError('not_found');
  return event;
}

/** @throws {DomainError} event_over, for one that is cancelled or completed */
export function requireNotOver({ status }: Pick<Event, 'status'>): void {
  if (!isLiving(status)) throw new DomainError('event_over', { event_status: status });
}

/** The live contract of an event, as far as the event asks. */
export interface EventContract {
  terms: AgreementTerms;
  /** Of the scan that waits for the federation; null while none does. */
  scanSentAt: Date | null;
}

/**
 * Notes in an event how its contract stands. The event's process looks again where the agreement passes from the organizer to the
 * federation or back, since the stage then waits for the other.
 * @param contract null where no contract is live
 */
export function noteContract(ctx: CommandContext, event: Locked<Event>, contract: EventContract | null): void {
  const scanSentAt = contract?.scanSentAt ?? null;
  const isHandedOver = (event.agreementScanAt === null) !== (scanSentAt === null);
  event.agreementTerms = contract?.terms ?? null;
  event.agreementScanAt = scanSentAt;
  markChanged(ctx, { event });
  if (isHandedOver) ctx.wake(processRef('event', event.id));
}
