import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An athlete's registration for an event, until the event has ended; workflow id `registration/{id}`. */

/** The organizer's decision; its reason is private input. */
export interface DecideRegistrationArgs {
  /** The event of the deciding organizer. */
  eventId: number;
  decision: 'approve' | 'return' | 'reject';
  /** Only with an approval; null: without a number. */
  startNumber: string | null;
}

export const decideRegistrationUpdate = defineUpdate<void, [ProcessCommand<DecideRegistrationArgs>]>('decide');
export const withdrawRegistrationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('withdraw');
