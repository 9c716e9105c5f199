import type { CommandContext } from '../../../platform/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type AgreementTerms, type Event, recordContract, settleAgreement } from '../../competitions/index.ts';
import type { Contract, ContractSnapshot } from '../entities.ts';
import { isLive, transition } from './states.ts';

/**
 * Records in the event the terms of its live agreement and since when a scan waits. Every command that changes an agreement calls it, under
 * the locks of both.
 */
export function recordInEvent(ctx: CommandContext, event: Locked<Event>, contract: Locked<Contract>): void {
  const { status, scanUploadedAt, snapshot } = contract;
  const isScanWaiting = status === 'pending';
  recordContract(ctx, event, isLive(status) ? { terms: termsOf(snapshot), scanSentAt: isScanWaiting ? scanUploadedAt : null } : null);
}

function termsOf({ eventTitle, eventLocation, eventStartsAt, eventEndsAt, disciplineId }: ContractSnapshot): AgreementTerms {
  return { title: eventTitle, location: eventLocation, startsAt: eventStartsAt, endsAt: eventEndsAt, disciplineId: disciplineId ?? null };
}

/**
 * Replaces or cancels an agreement that the caller has locked with its event (AGR-6). Its files stay. If it was in force, the agreement
 * stage of its event opens again (AGR-5).
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
  // For an ended agreement `decidedAt` means when it came into force; null if it never did.
  if (fromStatus !== 'confirmed') contract.decidedAt = null;
  recordInEvent(ctx, event, contract);
  // Flushed before a successor is inserted: the unique index allows one live agreement for an event.
  await ctx.em.flush();
  const facts = { from_status: fromStatus, original_sha256: originalSha256, scan_sha256: scanSha256 };
  await audit(ctx, action === 'replace' ? 'contract.replaced' : 'contract.cancelled', { kind: 'contract', id }, facts);
  if (fromStatus === 'confirmed') await settleAgreement(ctx, contract.eventId, false);
}
