import { assertNever } from '../../../errors.ts';
import { dayMs } from '../../../platform/date-time.ts';
import type { ProcessState } from '../../../platform/workflows/define-process.ts';
import { isLivingEvent } from '../../competitions/index.ts';
import type { Contract } from '../entities.ts';
import type { ContractRecord } from './queries.ts';
import { isWaiting } from './states.ts';

/** The organizer is reminded of a missing scan after each of these, the federation of a waiting one after that one (days). */
const organizerDays = [7, 14, 21];
const federationDays = [3];

/** Somebody who is to be reminded: when, and what the timer says of it. */
export interface Reminder {
  at: Date;
  of: 'organizer' | 'federation';
  why: string;
}

type Reminded = Pick<Contract, 'status' | 'createdAt' | 'decidedAt' | 'scanUploadedAt' | 'remindedAt'>;

/**
 * The next reminder of an agreement: each is told once, and those that were missed together are told as one. Null when nobody is waited
 * for, or all were told.
 */
export function nextReminder(contract: Reminded): Reminder | null {
  const { status, createdAt, decidedAt, scanUploadedAt, remindedAt } = contract;
  switch (status) {
    case 'generated':
      return ofOrganizer(createdAt, remindedAt);
    case 'rejected':
      return ofOrganizer(decidedAt ?? createdAt, remindedAt);
    case 'pending': {
      const at = firstAfter(scanUploadedAt ?? createdAt, federationDays, remindedAt);
      return at && { at, of: 'federation', why: 'reminder: scan waits for the federation' };
    }
    case 'confirmed':
    case 'replaced':
    case 'cancelled':
      return null;
    default:
      return assertNever(status);
  }
}

function ofOrganizer(since: Date, remindedAt: Date | null): Reminder | null {
  const at = firstAfter(since, organizerDays, remindedAt);
  return at && { at, of: 'organizer', why: 'reminder: signed scan missing' };
}

/** The first instant so many days after `since` that lies behind the last reminder. */
function firstAfter(since: Date, days: readonly number[], remindedAt: Date | null): Date | null {
  const instants = days.map((count) => new Date(since.getTime() + count * dayMs));
  return instants.find((at) => remindedAt === null || at > remindedAt) ?? null;
}

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
