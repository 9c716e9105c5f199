import { DomainError } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockApplication, markChanged } from './lock-application.ts';
import { requireConsentGiver } from './policy.ts';

/**
 * The owner's consent that whoever scans the QR of his international licence may see its documents, or its withdrawal
 * (service.md "PUT /applications/{id}/sharing"). The audit row keeps when and from where the consent came.
 * @throws {DomainError} not_found, forbidden, sharing_not_available
 */
export async function setSharing(ctx: CommandContext, input: { id: number; enabled: boolean }): Promise<void> {
  const { application } = await lockApplication(ctx, input.id);
  requireConsentGiver(ctx.actor, application, input.enabled);
  if (input.enabled && !(application.kind === 'international_licence' && application.status === 'approved')) {
    throw new DomainError('sharing_not_available');
  }
  if (application.sharingEnabled === input.enabled) return;
  application.sharingEnabled = input.enabled;
  application.sharingConfirmedAt = input.enabled ? ctx.now : null;
  markChanged(ctx, application);
  audit(ctx, input.enabled ? 'application.sharing_enabled' : 'application.sharing_disabled', { kind: 'application', id: input.id });
}
