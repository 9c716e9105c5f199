import { endOfYear } from '../platform/date-time.ts';
import { assessReadiness, isReady, lapsedDocuments } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { isLive, nextStatus } from './states.ts';

/** What an application's process does without anybody asking. */
export type DueStep = 'close' | 'lapse' | 'approve';

/**
 * What has become due for an application at an instant (service.md "Application", decisions.md §4): it closes when its year has
 * ended, goes back to its owner when a linked document has lapsed by the clock (whether or not the document is marked so), and
 * a national certificate is approved when its last condition holds. The process and the sweeper both ask here.
 */
export function dueStep(record: ApplicationRecord, now: Date): DueStep | null {
  if (!isLive(record.status)) return null;
  if (hasYearEnded(record, now)) return 'close';
  const facts = factsOf(record, now);
  if (nextStatus(record.status, 'lapse') !== null && lapsedDocuments(facts).length > 0) return 'lapse';
  const approvesItself = record.kind === 'national_certificate' && record.status === 'submitted';
  return approvesItself && isReady(assessReadiness(facts)) ? 'approve' : null;
}

/** Whether the year an application was made for is over in the registry; then nothing of it can be in force any more. */
export function hasYearEnded(application: { year: number }, now: Date): boolean {
  return now >= endOfYear(application.year);
}
