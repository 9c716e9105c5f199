import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/process-ref.ts';
import type { AgreementTerms } from './agreement-terms.ts';
import { type Event, EventEntity } from './entities.ts';
import { markChanged } from './events/record-event-step.ts';
import { isLiving } from './events/states.ts';

/**
 * Locks the event's row for a change of its contract. Lock order: contract, then event.
 * @throws {DomainError} not_found
 */
export async function lockEventRow(ctx: CommandContext, id: number): Promise<Locked<Event>> {
  const event = await lockForChange(ctx.em, EventEntity, { id });
  if (!event) throw new DomainError('not_found');
  return event;
}

/** @throws {DomainError} event_over, for a cancelled or completed event */
export function requireNotOver({ status }: Pick<Event, 'status'>): void {
  if (!isLiving(status)) throw new DomainError('event_over', { event_status: status });
}

/**
 * Stores the state of the contract in its event (EVT-6, EVT-8).
 *
 * Wakes the event's process when the agreement passes between organizer and federation, because the stage then waits for the other side.
 * @param contract null without a live contract. `scanSentAt`: when the scan was sent that waits for the federation; null without one
 */
export function recordContract(
  ctx: CommandContext,
  event: Locked<Event>,
  contract: { terms: AgreementTerms; scanSentAt: Date | null } | null,
): void {
  const scanSentAt = contract?.scanSentAt ?? null;
  const isHandedOver = (event.agreementScanAt === null) !== (scanSentAt === null);
  event.agreementTerms = contract?.terms ?? null;
  event.agreementScanAt = scanSentAt;
  markChanged(ctx, { event });
  if (isHandedOver) ctx.wake(processRef('event', event.id));
}
