import { assertNever } from '../errors.ts';
import { dayMs } from '../platform/date-time.ts';
import type { Contract } from './entities.ts';

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
