import { isLivingEvent } from '../competitions/index.ts';
import { assertNever } from '../errors.ts';
import type { ProcessState } from '../platform/workflows/define-process.ts';
import type { ContractRecord } from './queries.ts';
import { nextReminder } from './reminders.ts';
import type { Reminder } from './reminders.ts';
import { isWaiting } from './states.ts';

/** What a process asks of an agreement. */
export type AgreementFacts = Pick<ContractRecord, 'id' | 'contract' | 'eventStatus'>;

/** Whether the event of an agreement that still waits is over: nothing more happens to such an agreement. */
export function isAbandoned({ contract, eventStatus }: AgreementFacts): boolean {
  return isWaiting(contract.status) && !isLivingEvent(eventStatus);
}

/** Whether an agreement is abandoned and its process has not noted that yet. */
export function isToClose(record: AgreementFacts): boolean {
  return isAbandoned(record) && record.contract.closedAt === null;
}

/** The reminder that is due at an instant; an agreement about an event that is over has none. */
export function dueReminder(record: AgreementFacts, now: Date): Reminder | null {
  const reminder = reminderOf(record);
  return reminder !== null && reminder.at <= now ? reminder : null;
}

function reminderOf({ contract, eventStatus }: AgreementFacts): Reminder | null {
  return isLivingEvent(eventStatus) ? nextReminder(contract) : null;
}

/** How an agreement's process stands at an instant, in words that a support person reads in the Temporal UI; no private data. */
export function describeAgreement(record: AgreementFacts, now: Date): ProcessState {
  const { number, version, eventId, status } = record.contract;
  const reminder = reminderOf(record);
  const about = `agreement ${number}, version ${version}, about event ${eventId}`;
  const state = {
    stage: status,
    isOver: false,
    isDue: isToClose(record) || dueReminder(record, now) !== null,
    next: reminder === null ? null : { at: reminder.at, why: reminder.why },
  };
  if (isAbandoned(record))
    return { ...state, waitingFor: 'nobody', details: `Over, its event is ${record.eventStatus}: ${about}.`, isOver: true };
  switch (status) {
    case 'generated':
      return { ...state, waitingFor: 'owner', details: `Waits for the organizer to sign ${about} and to send the scan.` };
    case 'rejected':
      return { ...state, waitingFor: 'owner', details: `Waits for the organizer to send another scan of ${about}.` };
    case 'pending':
      return { ...state, waitingFor: 'administrator', details: `Waits for an administrator to look at the signed scan of ${about}.` };
    case 'confirmed':
      return { ...state, waitingFor: 'nobody', details: `In force: ${about}.`, isOver: true };
    case 'replaced':
    case 'cancelled':
      return { ...state, waitingFor: 'nobody', details: `Over, ${status}: ${about}.`, isOver: true };
    default:
      return assertNever(status);
  }
}
