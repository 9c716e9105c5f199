import type { Area } from '../area.ts';
import { dayOf } from '../days.ts';
import { refuse } from '../judgement.ts';

/** The clock of a life is ahead of the machine's all the time, and only moves on (SBX-1). */
export const clockArea: Area = {
  judge(_model, { operation, body }, now) {
    if (operation !== 'PUT /sandbox/clock') return null;
    return Date.parse((body as { now: string }).now) < now.getTime() ? refuse('clock_backwards') : 'accept';
  },
};

/** Whether a page says that the clock was moved, with its year (SBX-1). */
export function showsMovedClock(page: string, now: Date): boolean {
  return /<p class="sandbox"[^>]*>([^<]*)</.exec(page)?.[1]?.includes(dayOf(now).slice(0, 4)) === true;
}
