import { actingUserId, type CommandContext, isOwnAct } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { type AgreementTerms, type Event, recordContract, settleAgreement } from '../../competitions/index.ts';
import { notify, notifyAdministrators } from '../../notifications/index.ts';
import type { Contract, ContractSnapshot } from '../entities.ts';
import { agreementNotifications } from '../notifications.ts';
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
 * stage of its event opens again (AGR-5). Administrators are to see that the organizer ended it (AGR-17).
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
  const by = isByOrganizer(ctx, contract) ? 'owner' : 'administrator';
  if (by === 'owner') contract.unseenSince = ctx.now;
  // For an ended agreement `decidedAt` means when it came into force; null if it never did.
  if (fromStatus !== 'confirmed') contract.decidedAt = null;
  recordInEvent(ctx, event, contract);
  // Flushed before a successor is inserted: the unique index allows one live agreement for an event.
  await ctx.em.flush();
  const facts = { from_status: fromStatus, original_sha256: originalSha256, scan_sha256: scanSha256, by };
  await audit(ctx, action === 'replace' ? 'contract.replaced' : 'contract.cancelled', { kind: 'contract', id }, facts);
  if (fromStatus === 'confirmed') await settleAgreement(ctx, contract.eventId, false);
}

/**
 * Notifies the other side that an agreement was ended: administrators by its organizer, the organizer by an administrator, also by one who
 * impersonates them (AGR-17).
 */
export async function notifyOfEnd(
  ctx: CommandContext,
  { id, ownerId, number, reason }: Readonly<Contract>,
  kind: 'agreement.cancelled' | 'agreement.replaced',
  facts: { replaced_by?: string } = {},
): Promise<void> {
  const subject = { kind: 'contract', id };
  const notified = { number, ...facts, ...(reason === null ? {} : { reason }) };
  if (isByOrganizer(ctx, { ownerId })) await notifyAdministrators(ctx, agreementNotifications['agreement.ended'], subject, notified);
  if (!isOwnAct(ctx.actor, ownerId)) await notify(ctx, ownerId, agreementNotifications[kind], subject, notified);
}

function isByOrganizer({ actor }: CommandContext, { ownerId }: Pick<Contract, 'ownerId'>): boolean {
  return actingUserId(actor) === ownerId;
}
