import { dayMs } from '../../platform/time/date-time.ts';

/** How long the outcome of an import is kept, milliseconds (IMP-5). */
const keptMs = 7 * dayMs;

/** The instant at which the outcome of an ended import is deleted. */
export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + keptMs);
}
