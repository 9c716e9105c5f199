import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockEventRow } from '../../competitions/index.ts';
import { endContract, notifyOfEnd } from './steps.ts';
import { lockContract, recordOf, type ContractRecord } from './queries.ts';
import { requireContractParty } from './policy.ts';

/**
 * Cancels an agreement for its organizer or an administrator (AGR-6).
 * @param reason 5-3000 characters
 * @throws {DomainError} not_found, invalid_state
 */
export async function cancelContract(ctx: CommandContext, id: number, { reason }: { reason: string }): Promise<ContractRecord> {
  const contract = await lockContract(ctx, id);
  requireContractParty(ctx.actor, contract);
  await endContract(ctx, contract, await lockEventRow(ctx, contract.eventId), 'cancel', reason);
  await notifyOfEnd(ctx, contract, 'agreement.cancelled');
  return recordOf(ctx, id);
}
