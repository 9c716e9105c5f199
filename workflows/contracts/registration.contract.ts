import { command, defineContract } from './process.contract.ts';

/** The organizer's decision, or a place offered to a registration that waits; the reason is private input. */
export interface DecideRegistrationArgs {
  /** The event of the deciding organizer. */
  eventId: number;
  decision: 'approve' | 'return' | 'reject' | 'offer';
  /** Only with an approval; null: without a number. */
  startNumber: string | null;
}

/** An athlete's registration for an event, until the event has ended; workflow id `registration/{id}`. */
export const registrationContract = defineContract({
  kind: 'registration',
  workflow: 'eventRegistration',
  queue: 'competitions',
  commands: { decide: command<DecideRegistrationArgs>(), accept: command(), withdraw: command() },
});
