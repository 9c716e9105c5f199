import type { CommandContext } from '../../platform/context.ts';
import type { Locked } from '../../platform/database/lock.ts';
import { type AgreementTerms, type Event, noteContract } from '../competitions/index.ts';
import { isLive } from './contracts/states.ts';
import type { Contract, ContractSnapshot } from './entities.ts';

/**
 * Records in the event the terms of its live agreement and since when a scan waits. Every command that changes an agreement calls it, under
 * the locks of both.
 */
export function noteInEvent(ctx: CommandContext, event: Locked<Event>, contract: Locked<Contract>): void {
  const { status, scanUploadedAt, snapshot } = contract;
  const isScanWaiting = status === 'pending';
  noteContract(ctx, event, isLive(status) ? { terms: termsOf(snapshot), scanSentAt: isScanWaiting ? scanUploadedAt : null } : null);
}

function termsOf({ eventTitle, eventLocation, eventStartsAt, eventEndsAt, disciplineId }: ContractSnapshot): AgreementTerms {
  return { title: eventTitle, location: eventLocation, startsAt: eventStartsAt, endsAt: eventEndsAt, disciplineId: disciplineId ?? null };
}
