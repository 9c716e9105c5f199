import { assertNever } from '../../../errors.ts';
import { dayMs, formatDateTime } from '../../../platform/date-time.ts';
import type { ProcessState } from '../../../platform/workflows/define-process.ts';
import type { ExportRecord } from './queries.ts';

/** How long the file of an export is kept, milliseconds (NAT-6). */
const keptMs = 30 * dayMs;

/** The instant at which the file of an ended export is deleted. */
export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + keptMs);
}

/** Describes an export's process for support in the Temporal UI; without personal data. */
export function describeExport({ made, isFileThere }: ExportRecord, now: Date): ProcessState {
  const { list, count, status, finishedAt, failure } = made;
  const what = `the list ${list}, ${count} records`;
  const over = { stage: status, waitingFor: 'none', isOver: true, isDue: false, next: null } as const;
  switch (status) {
    case 'pending':
      return { stage: status, waitingFor: 'none', details: `Makes the file of ${what}.`, isOver: false, isDue: true, next: null };
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
