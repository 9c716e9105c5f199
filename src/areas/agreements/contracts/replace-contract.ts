import type { ReplaceContractArgs } from '../../../../workflows/contracts/agreement.contract.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { processRef } from '../../../platform/workflows/process-ref.ts';
import { lockEventRow, requireNotOver } from '../../competitions/index.ts';
import { endContract, notifyOfEnd } from './steps.ts';
import { insertContract } from './insert-contract.ts';
import { lockContract, recordOf, type ContractRecord } from './queries.ts';
import { requireContractOwner } from './policy.ts';

/** `reason` has 5-3000 characters; the other fields are those of a new agreement (`ContractContent`). */
export interface ContractReplacement extends ReplaceContractArgs {
  reason: string;
  notes: string | null;
}

/**
 * Replaces an agreement by a new version from the current event, profile and signing setting (AGR-6). The new version has its own number
 * and is signed and confirmed like the first.
 * @returns the replaced agreement, which names the new one
 * @throws {DomainError} not_found, event_over, invalid_state, and what `insertContract` refuses
 */
export async function replaceContract(
  ctx: CommandContext,
  id: number,
  { reason, ...content }: ContractReplacement,
): Promise<ContractRecord> {
  const contract = await lockContract(ctx, id);
  requireContractOwner(ctx.actor, contract);
  const event = await lockEventRow(ctx, contract.eventId);
  requireNotOver(event);
  await endContract(ctx, contract, event, 'replace', reason);
  const { id: nextId, number: nextNumber } = await insertContract(ctx, event, content, contract);
  contract.replacedById = nextId;
  ctx.wake(processRef('agreement', nextId));
  await notifyOfEnd(ctx, contract, 'agreement.replaced', { replaced_by: nextNumber });
  return recordOf(ctx, id);
}
