import { dayOf } from '../../../platform/time/date-time.ts';
import { isExpiredOn, isReminderDue, type Reminded } from '../../documents/index.ts';
import { assessReadiness, countedDocuments, factsOf, isReady } from './readiness.ts';
import type { ApplicationRecord, AttachedDocument } from '../record.ts';
import { isLiving, nextStatus } from '../states.ts';
import { hasEnded } from '../year.ts';

/** An automatic step of the process. `return`: back to the owner; `remind`: of the certificate's last day. */
export type DueStep = 'close' | 'return' | 'approve' | 'remind';

/**
 * Returns the step that is due for an application at an instant, in this order:
 * - `close` when its year or its document has ended (APP-13)
 * - `return` when a document that counts has expired by the clock, marked or not (APP-11)
 * - `approve` for a national certificate or a fee that is ready (APP-5)
 * - `remind` of the certificate's last day (APP-16)
 *
 * The process and the commands share this function.
 */
export function dueStep(record: ApplicationRecord, now: Date): DueStep | null {
  const { status } = record.application;
  if (!isLiving(status)) return null;
  if (hasEnded(record, now)) return 'close';
  const mayLapse = nextStatus(record.application, 'lapse') !== null;
  if (mayLapse && lapsedDocuments(record, now).length > 0) return 'return';
  if (approvesItself(record) && isReady(assessReadiness(factsOf(record, now)))) return 'approve';
  const reminded = remindedOf(record);
  return reminded !== null && isReminderDue(reminded, now) ? 'remind' : null;
}

/** Whether no administrator approves the application (APP-5). */
export function approvesItself({ application: { kind, status } }: ApplicationRecord): boolean {
  return (kind === 'national_certificate' || kind === 'event_fee') && status === 'submitted';
}

/**
 * Lists the attached documents that have expired, by the clock or by status, and count for the application (APP-11, APP-20). A refused one
 * does not expire (DOC-1).
 */
export function lapsedDocuments(record: ApplicationRecord, now: Date): AttachedDocument[] {
  return countedDocuments(factsOf(record, now)).filter((document) => document.status !== 'cancelled' && isExpiredOn(document, dayOf(now)));
}

/** Returns the reminder of an issued certificate while its application lives, otherwise null (APP-16). */
export function remindedOf({ application, certificate }: Pick<ApplicationRecord, 'application' | 'certificate'>): Reminded | null {
  if (certificate === null || !isLiving(application.status)) return null;
  return { lastDay: certificate.validUntil, remindAt: application.remindAt };
}
