import { assertNever } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';
import { notify, notifyAdministrators } from '../notifications/index.ts';
import { dueReminder, isToClose } from './contracts/describe-agreement.ts';
import { lockContract, recordOf, type ContractRecord } from './contracts/queries.ts';
import { agreementNotifications } from './notifications.ts';

/**
 * Does what is due for an agreement: closes it when its event is over (AGR-7), otherwise sends a due reminder (AGR-12). Idempotent.
 * @throws {DomainError} not_found
 */
export async function reconsiderContract(ctx: CommandContext, id: number): Promise<ContractRecord> {
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
