import { endOfYear } from '../../platform/date-time.ts';
import { isReminderDue } from '../documents/index.ts';
import type { Application } from './entities.ts';
import { assessReadiness, expiredDocuments, isReady } from './readiness.ts';
import { type ApplicationRecord, factsOf, remindedOf } from './record.ts';
import { isLiving, nextStatus } from './states.ts';

/** What an application's process does without anybody asking. `return`: gives it back to its owner; `remind`: of the end of its certificate. */
export type DueStep = 'close' | 'return' | 'approve' | 'remind';

/**
 * What has become due for an application at an instant (service.md "Application", decisions.md §4): it closes when its year has
 * ended, goes back to its owner when a linked document has expired by the clock (whether or not the document is marked so), and
 * a national certificate or a fee is approved when its last condition holds. When nothing of this is due, its owner is reminded of the
 * last day of the certificate. The process and its commands both ask here.
 */
export function dueStep(record: ApplicationRecord, now: Date): DueStep | null {
  const { status, kind } = record.application;
  if (!isLiving(status)) return null;
  if (hasYearEnded(record.application, now)) return 'close';
  const facts = factsOf(record, now);
  if (nextStatus(record.application, 'lapse') !== null && expiredDocuments(facts).length > 0) return 'return';
  const approvesItself = (kind === 'national_certificate' || kind === 'event_fee') && status === 'submitted';
  if (approvesItself && isReady(assessReadiness(facts))) return 'approve';
  const reminded = remindedOf(record);
  return reminded !== null && isReminderDue(reminded, now) ? 'remind' : null;
}

/**
 * Whether the year an application was made for is over in the registry; then nothing of it can be in force any more. A fee lives as long
 * as its event, whatever the year (decisions.md §6).
 */
export function hasYearEnded({ year, kind }: Pick<Application, 'year' | 'kind'>, now: Date): boolean {
  return kind !== 'event_fee' && now >= endOfYear(year);
}
