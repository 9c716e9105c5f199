import type { EventStatus } from '../events/states.ts';

/** Public statuses of an event that was published. Cancelled ones stay, so that visitors learn of the cancellation (EVT-11). */
export const publicStatuses = ['published', 'completed', 'cancelled'] as const satisfies readonly EventStatus[];
export type PublicStatus = (typeof publicStatuses)[number];

/** Phase of an event for visitors. `over`: it has ended, its results are not approved yet. */
export type EventPhase = 'planned' | 'running' | 'over' | 'completed' | 'cancelled';

/** Returns the phase of an event from its status and the time. */
export function phaseOf({ status, startsAt, endsAt }: { status: PublicStatus; startsAt: Date; endsAt: Date }, now: Date): EventPhase {
  if (status !== 'published') return status;
  if (now < startsAt) return 'planned';
  return now <= endsAt ? 'running' : 'over';
}
