import type { CommandContext } from '../../platform/commands/context.ts';
import { notify } from '../notifications/index.ts';
import { recordStep, markChanged } from './command-parts.ts';
import { applicationNotifications } from './notifications.ts';
import { refundApplication } from './payments/refund-application.ts';
import { requireOwner } from './policy.ts';
import { lockApplicationAndWallet } from './queries.ts';
import type { ApplicationRecord } from './record.ts';
import { transition } from './states.ts';

/**
 * Cancels an application for its owner while it is not approved, and refunds the wallet that paid (APP-12).
 *
 * If a certificate was ever issued, it is annulled and nothing is refunded.
 * @throws {DomainError} not_found, invalid_state
 */
export async function cancelApplication(ctx: CommandContext, id: number, { reason }: { reason: string }): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndWallet(ctx, id);
  const { application, service, certificate } = locked;
  requireOwner(ctx.actor, application);
  transition(application, 'cancel');
  application.cancelledAt = ctx.now;
  application.reviewNote = reason;
  markChanged(ctx, application);
  const subject = { kind: 'application', id };
  await recordStep(ctx, locked, 'cancelled', { by: 'owner' });
  await notify(ctx, application.ownerId, applicationNotifications['application.cancelled'], subject, { service: service.title, reason });
  if (certificate === null) await refundApplication(ctx, locked, `application ${id} was cancelled by its owner`);
  return locked;
}
