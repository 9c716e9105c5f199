import { agreementContract } from '../../../../workflows/contracts/agreement.contract.ts';
import { assertNever } from '../../../errors.ts';
import { reasonInput } from '../../../http/schemas.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { literalText } from '../../../platform/database/literals.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { defineProcess, type ProcessState, withPrivateInput } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { audit } from '../../audit/index.ts';
import { isLivingEvent } from '../../competitions/index.ts';
import { notify, notifyAdministrators } from '../../notifications/index.ts';
import type { Contract } from '../entities.ts';
import { agreementNotifications } from '../notifications.ts';
import { cancelContract } from './cancel-contract.ts';
import { type ContractRecord, findContracts, lockContract, recordOf } from './queries.ts';
import { replaceContract } from './replace-contract.ts';
import { reviewContract } from './review-contract.ts';
import { scanContract } from './scan-contract.ts';
import { isWaiting, waitingStatuses } from './states.ts';
import { replacementInput } from './wire.ts';

/** Days after which the organizer is reminded of a missing scan, and administrators of a waiting one (AGR-12). */
const organizerDays = [7, 14, 21];
const federationDays = [3];

/** A reminder: its instant, its recipient and the text of the timer. */
interface Reminder {
  at: Date;
  of: 'organizer' | 'federation';
  why: string;
}

type Reminded = Pick<Contract, 'status' | 'createdAt' | 'decidedAt' | 'scanUploadedAt' | 'remindedAt'>;

/**
 * Finds the next reminder of an agreement; reminders that were missed together count as one (AGR-12). Null when all were sent, or the
 * status waits for no party.
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

/** Finds the first of the instants `days` after `since` that is later than the last reminder. */
function firstAfter(since: Date, days: readonly number[], remindedAt: Date | null): Date | null {
  const instants = days.map((count) => new Date(since.getTime() + count * dayMs));
  return instants.find((at) => remindedAt === null || at > remindedAt) ?? null;
}

/** The facts that the process of an agreement needs. */
type AgreementFacts = Pick<ContractRecord, 'id' | 'contract' | 'eventStatus'>;

/** Whether the event of a waiting agreement is over; such an agreement does not change any more (AGR-7). */
function isAbandoned({ contract, eventStatus }: AgreementFacts): boolean {
  return isWaiting(contract.status) && !isLivingEvent(eventStatus);
}

/** Whether an agreement is abandoned and not closed yet. */
function isToClose(record: AgreementFacts): boolean {
  return isAbandoned(record) && record.contract.closedAt === null;
}

/** Finds the reminder that is due at an instant; none once the event is over. */
function dueReminder(record: AgreementFacts, now: Date): Reminder | null {
  const reminder = reminderOf(record);
  return reminder !== null && reminder.at <= now ? reminder : null;
}

function reminderOf({ contract, eventStatus }: AgreementFacts): Reminder | null {
  return isLivingEvent(eventStatus) ? nextReminder(contract) : null;
}

/** Describes an agreement's process for support in the Temporal UI; without personal data. */
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
    return { ...state, waitingFor: 'none', details: `Over, its event is ${record.eventStatus}: ${about}.`, isOver: true };
  switch (status) {
    case 'generated':
      return { ...state, waitingFor: 'owner', details: `Waits for the organizer to sign ${about} and send the scan.` };
    case 'rejected':
      return { ...state, waitingFor: 'owner', details: `Waits for the organizer to send another scan of ${about}.` };
    case 'pending':
      return { ...state, waitingFor: 'administrator', details: `Waits for an administrator to review the signed scan of ${about}.` };
    case 'confirmed':
      return { ...state, waitingFor: 'none', details: `In force: ${about}.`, isOver: true };
    case 'replaced':
    case 'cancelled':
      return { ...state, waitingFor: 'none', details: `Over, ${status}: ${about}.`, isOver: true };
    default:
      return assertNever(status);
  }
}

/**
 * Runs the due step of an agreement: closes it when its event is over (AGR-7), otherwise sends a due reminder (AGR-12). Idempotent.
 * @throws {DomainError} not_found
 */
async function reconsiderContract(ctx: CommandContext, id: number): Promise<ContractRecord> {
  const contract = await lockContract(ctx, id);
  const record = await recordOf(ctx, id);
  if (isToClose(record)) {
    contract.closedAt = ctx.now;
    return recordOf(ctx, id);
  }
  const reminder = dueReminder(record, ctx.now);
  if (reminder === null) return record;
  const subject = { kind: 'contract', id };
  const facts = { number: contract.number };
  switch (reminder.of) {
    case 'organizer':
      await notify(ctx, contract.ownerId, agreementNotifications['agreement.scan_missing'], subject, facts);
      break;
    case 'federation':
      await notifyAdministrators(ctx, agreementNotifications['agreement.scan_waiting'], subject, facts);
      break;
    default:
      return assertNever(reminder.of);
  }
  contract.remindedAt = ctx.now;
  await audit(ctx, 'contract.reminded', subject, { of: reminder.of });
  return recordOf(ctx, id);
}

const dueAt = dueAtOf('contracts');

/** The process of an agreement: waits for the signed scan and the decision, and sends reminders (AGR-12). */
export const agreementProcess = defineProcess(agreementContract, {
  subject: 'contract',
  summary: (id) => `Agreement ${id}: PDF, signed scan, decision of the federation`,
  read: findContracts,
  describe: describeAgreement,
  since: ({ contract: { status, decidedAt, scanUploadedAt, createdAt } }) =>
    (status === 'pending' ? scanUploadedAt : decidedAt) ?? createdAt,
  reconsider: reconsiderContract,
  dueAt: { of: ({ contract }) => contract.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('contracts', `status in (${literalText(waitingStatuses)}) and closed_at is null`),
  commands: {
    scan: scanContract,
    review: withPrivateInput(reviewContract, reasonInput),
    replace: withPrivateInput(replaceContract, replacementInput),
    cancel: withPrivateInput(cancelContract, reasonInput),
  },
});
