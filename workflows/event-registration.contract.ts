import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An athlete's request to take part in an event, until the event has ended; workflow id `registration/{id}`. */

/** The organizer's decision; its reason travels apart, as private words. */
export interface DecideRegistrationArgs {
  /** The event in whose name the organizer decides. */
  eventId: number;
  decision: 'approve' | 'return' | 'reject';
  /** Only with an approval; null leaves it without one. */
  startNumber: string | null;
}

export const decideRegistrationUpdate = defineUpdate<void, [ProcessCommand<DecideRegistrationArgs>]>('decide');
export const withdrawRegistrationUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('withdraw');
