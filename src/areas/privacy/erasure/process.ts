import { accountErasureContract } from '../../../../workflows/contracts/account-erasure.contract.ts';
import { assertNever, DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { dayMs, formatDateTime } from '../../../platform/time/date-time.ts';
import { defineProcess, type ProcessState } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { notify } from '../../notifications/index.ts';
import { type AccountErasure, AccountErasureEntity } from '../entities.ts';
import { privacyNotifications } from '../notifications.ts';
import { findErasures } from './queries.ts';

/** How long before its end the owner is reminded, milliseconds (PRV-4). */
const reminderMs = 3 * dayMs;
/** After this time stored answers and private inputs are gone, and what was made meanwhile is found, milliseconds (PRV-5). */
const secondLookMs = dayMs;

/** When the owner is reminded; null when that was done, the wait is shorter, or something has prevented the erasure. */
function reminderOf({ requestedAt, endsAt, remindedAt, blockedAt }: Readonly<AccountErasure>): Date | null {
  const at = new Date(endsAt.getTime() - reminderMs);
  return remindedAt === null && blockedAt === null && at > requestedAt ? at : null;
}

/** Describes an erasure's process for support in the Temporal UI; without personal data. */
function describeErasure(erasure: Readonly<AccountErasure>, now: Date): ProcessState {
  const { id, status, endsAt, blockedAt, erasedAt, purgedAt } = erasure;
  const working = (details: string): ProcessState => ({
    stage: 'due',
    waitingFor: 'none',
    details,
    isOver: false,
    isDue: true,
    next: null,
  });
  switch (status) {
    case 'waiting': {
      if (endsAt <= now) return working(`Erases account ${id}.`);
      const reminder = reminderOf(erasure);
      const details =
        blockedAt === null
          ? `Erases account ${id} at ${formatDateTime(endsAt)}, unless it is withdrawn.`
          : `Something prevents the erasure of account ${id}; it is tried again at ${formatDateTime(endsAt)}.`;
      const next = reminder === null ? { at: endsAt, why: 'the account is erased' } : { at: reminder, why: 'its owner is reminded' };
      const waitingFor = blockedAt === null ? 'date' : 'owner';
      return { stage: status, waitingFor, details, isOver: false, isDue: next.at <= now, next };
    }
    case 'erased': {
      if (purgedAt === null) return working(`Removes the files of the erased account ${id}.`);
      const at = new Date((erasedAt ?? purgedAt).getTime() + secondLookMs);
      if (at <= now) return working(`Looks a second time for records of the erased account ${id}.`);
      const details = `Account ${id} is erased; looks a second time at ${formatDateTime(at)}.`;
      return { stage: status, waitingFor: 'date', details, isOver: false, isDue: false, next: { at, why: 'a second look' } };
    }
    case 'withdrawn':
      return {
        stage: status,
        waitingFor: 'none',
        details: `Over: the erasure of account ${id} was withdrawn.`,
        isOver: true,
        isDue: false,
        next: null,
      };
    case 'done':
      return { stage: status, waitingFor: 'none', details: `Over: account ${id} is erased.`, isOver: true, isDue: false, next: null };
    default:
      return assertNever(status);
  }
}

/** Reminds the owner three days before the end (PRV-4). Idempotent; the erasure itself is long work (`erase-account.ts`). */
async function remindOwner(ctx: CommandContext, id: number): Promise<Readonly<AccountErasure>> {
  const erasure = await lockForChange(ctx.em, AccountErasureEntity, { id });
  if (erasure === null) throw new DomainError('not_found');
  const { status, endsAt } = erasure;
  const reminder = reminderOf(erasure);
  if (status !== 'waiting' || reminder === null || reminder > ctx.now || endsAt <= ctx.now) return erasure;
  erasure.remindedAt = ctx.now;
  const subject = { kind: 'account_erasure', id };
  await notify(ctx, id, privacyNotifications['account_erasure.reminder'], subject, { at: formatDateTime(endsAt) });
  return erasure;
}

const dueAt = dueAtOf('account_erasures');

/** The process of an erasure; its id is that of the account. */
export const accountErasureProcess = defineProcess(accountErasureContract, {
  subject: 'account_erasure',
  summary: (id) => `Erasure of account ${id}: waits, reminds, and takes the person out of the records`,
  read: findErasures,
  describe: describeErasure,
  since: ({ requestedAt, erasedAt }) => erasedAt ?? requestedAt,
  reconsider: remindOwner,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('account_erasures', 'due_at is not null'),
  commands: {},
});
