import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type Event, settleAgreement } from '../../competitions/index.ts';
import type { Contract } from '../entities.ts';
import { noteInEvent } from '../note-in-event.ts';
import { transition } from './states.ts';

/**
 * Ends an agreement that the caller has locked with its event, in force or not. What was made and scanned stays; the stage of its event opens again where
 * it was in force (decisions.md §6).
 * @param reason 5-3000 characters
 * @throws {DomainError} invalid_state
 */
export async function endContract(
  ctx: CommandContext,
  contract: Locked<Contract>,
  event: Locked<Event>,
  action: 'replace' | 'cancel',
  reason: string,
): Promise<void> {
  const { id, status: fromStatus, originalSha256, scanSha256 } = contract;
  transition(contract, action, ctx.now);
  contract.reason = reason;
  // From here on it says whether the agreement was ever in force, and since when; the history has the decisions.
  if (fromStatus !== 'confirmed') contract.decidedAt = null;
  noteInEvent(ctx, event, contract);
  // Before another of the same event is written: one of them is live.
  await ctx.em.flush();
  const facts = { from_status: fromStatus, original_sha256: originalSha256, scan_sha256: scanSha256 };
  await audit(ctx, `contract.${contract.status}`, { kind: 'contract', id }, facts);
  if (fromStatus === 'confirmed') await settleAgreement(ctx, contract.eventId, false);
}
