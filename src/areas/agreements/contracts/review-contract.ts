import type { ReviewContractArgs } from '../../../../workflows/contracts/agreement.contract.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import { requireSeen } from '../../../platform/database/lock.ts';
import { lockEventRow, requireNotOver, settleAgreement } from '../../competitions/index.ts';
import { notify } from '../../notifications/index.ts';
import { recordDecision, requireAdministrator, requireExplanation } from '../../reviews/index.ts';
import { recordInEvent } from './steps.ts';
import { agreementNotifications } from '../notifications.ts';
import { holdScan, lockContract, recordOf, type ContractRecord } from './queries.ts';
import { transition } from './states.ts';

/** The decision; a rejection has a reason of 5-3000 characters. */
export interface ContractReview extends ReviewContractArgs {
  reason?: string | null | undefined;
}

/**
 * Confirms or rejects the signed scan (AGR-14). A confirmed agreement is in force and opens the next stage of its event (AGR-5); a rejected
 * one waits for another scan.
 * @throws {DomainError} forbidden, not_found, event_over (a confirmation, AGR-7), invalid_state (not `pending`), validation_failed (no reason),
 *   stale_revision (REV-5), file_missing (a confirmation without its scan, REV-6)
 */
export async function reviewContract(
  ctx: CommandContext,
  id: number,
  { decision, reason = null, updatedAt }: ContractReview,
): Promise<ContractRecord> {
  requireAdministrator(ctx);
  const contract = await lockContract(ctx, id);
  requireSeen(contract, updatedAt);
  const event = await lockEventRow(ctx, contract.eventId);
  const fromStatus = contract.status;
  const isConfirmed = decision === 'confirm';
  if (isConfirmed) requireNotOver(event);
  transition(contract, decision, ctx.now);
  if (isConfirmed) await holdScan(ctx, contract);
  else requireExplanation(reason, 'reason');
  contract.decidedAt = ctx.now;
  contract.reason = isConfirmed ? null : reason;
  recordInEvent(ctx, event, contract);
  await ctx.em.flush();
  const subject = { kind: 'contract', id };
  const hashes = { original_sha256: contract.originalSha256, scan_sha256: contract.scanSha256 };
  await audit(ctx, isConfirmed ? 'contract.confirmed' : 'contract.rejected', subject, hashes);
  await recordDecision(ctx, {
    subject,
    decision: isConfirmed ? 'approve' : 'changes',
    note: contract.reason,
    fromStatus,
    toStatus: contract.status,
  });
  const kind = isConfirmed ? 'agreement.confirmed' : 'agreement.rejected';
  await notify(ctx, contract.ownerId, agreementNotifications[kind], subject, factsOf(contract.number, contract.reason));
  if (isConfirmed) await settleAgreement(ctx, contract.eventId, true);
  return recordOf(ctx, id);
}

function factsOf(number: string, reason: string | null) {
  return reason === null ? { number } : { number, reason };
}
