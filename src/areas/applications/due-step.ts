import { endOfYear } from '../../platform/date-time.ts';
import { isReminderDue, type Reminded } from '../documents/index.ts';
import type { Application } from './entities.ts';
import { assessReadiness, expiredDocuments, isReady, factsOf } from './readiness.ts';
import { type ApplicationRecord } from './record.ts';
import { isLiving, nextStatus } from './states.ts';

/** An automatic step of the process. `return`: back to the owner; `remind`: of the certificate's last day. */
export type DueStep = 'close' | 'return' | 'approve' | 'remind';

/**
 * Returns the step that is due for an application at an instant, in this order:
 * - `close` when its year has ended (APP-13)
 * - `return` when a linked document has expired by the clock, marked or not (APP-11)
 * - `approve` for a national certificate or a fee that is ready (APP-5)
 * - `remind` of the certificate's last day (APP-16)
 *
 * The process and the commands share this function.
 */
export function dueStep(record: ApplicationRecord, now: Date): DueStep | null {
  const { status, kind } = record.application;
  if (!isLiving(status)) return null;
  if (hasYearEnded(record.application, now)) return 'close';
  const mayLapse = nextStatus(record.application, 'lapse') !== null;
  const facts = factsOf(record, now);
  if (mayLapse && expiredDocuments(facts).length > 0) return 'return';
  const approvesItself = (kind === 'national_certificate' || kind === 'event_fee') && status === 'submitted';
  if (approvesItself && isReady(assessReadiness(facts))) return 'approve';
  const reminded = remindedOf(record);
  return reminded !== null && isReminderDue(reminded, now) ? 'remind' : null;
}

/**
 * Whether the application's year has ended (APP-13). A fee lives as long as its event, whatever the year (APP-17).
 */
export function hasYearEnded({ year, kind }: Pick<Application, 'year' | 'kind'>, now: Date): boolean {
  return kind !== 'event_fee' && now >= endOfYear(year);
}

/** Returns the reminder of an issued certificate while its application lives, otherwise null (APP-16). */
export function remindedOf({ application, certificate }: Pick<ApplicationRecord, 'application' | 'certificate'>): Reminded | null {
  if (certificate === null || !isLiving(application.status)) return null;
  return { lastDay: certificate.validUntil, remindAt: application.remindAt };
}
