import { assertNever } from '../../../errors.ts';
import { dayMs, formatDateTime } from '../../../platform/date-time.ts';
import type { ProcessState } from '../../../platform/workflows/define-process.ts';
import type { ExportRecord } from './queries.ts';

/** How long the file of an export is kept (decisions.md §9), milliseconds. */
const keptMs = 30 * dayMs;

/** Until when the file of an export that has ended is kept. */
export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + keptMs);
}

/** How an export's process stands at an instant, in words that a support person reads in the Temporal UI; no private data. */
export function describeExport({ made, isFileThere }: Omit<ExportRecord, 'id'>, now: Date): ProcessState {
  const { list, count, status, finishedAt, failure } = made;
  const what = `the list ${list}, ${count} records`;
  const over = { stage: status, waitingFor: 'nobody', isOver: true, isDue: false, next: null } as const;
  switch (status) {
    case 'pending':
      return { stage: status, waitingFor: 'nobody', details: `Makes the file of ${what}.`, isOver: false, isDue: true, next: null };
    case 'ready': {
      if (!isFileThere || finishedAt === null) return { ...over, details: `Over: the file of ${what} is deleted.` };
      const at = keptUntil(finishedAt);
      const details = `The file of ${what} is there until ${formatDateTime(at)}.`;
      const next = { at, why: 'its file has served its time' };
      return { stage: status, waitingFor: 'date', details, isOver: false, isDue: at <= now, next };
    }
    case 'failed':
      return { ...over, details: `Over: there is no file of ${what}: ${failure}.` };
    default:
      return assertNever(status);
  }
}
