import type { EventStatus } from '../events/states.ts';

/** Statuses in which an event that was published is open to everybody; cancelled ones stay, so that those who planned to go learn of it. */
export const publicStatuses = ['published', 'completed', 'cancelled'] as const satisfies readonly EventStatus[];
export type PublicStatus = (typeof publicStatuses)[number];

/** How an event stands for somebody who wants to go there. `over`: it has taken place, its results are not approved yet. */
export type EventPhase = 'planned' | 'running' | 'over' | 'completed' | 'cancelled';

/** What a person on the street is told of an event, by its status and the time. */
export function phaseOf({ status, startsAt, endsAt }: { status: PublicStatus; startsAt: Date; endsAt: Date }, now: Date): EventPhase {
  if (status !== 'published') return status;
  if (now < startsAt) return 'planned';
  return now <= endsAt ? 'running' : 'over';
}
