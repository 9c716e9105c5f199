import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { lockApplication, markChanged } from '../lock-application.ts';
import { requireConsentGiver } from '../policy.ts';
import { recordStep } from '../record-step.ts';
import type { ApplicationRecord } from '../record.ts';

/**
 * The owner's consent that whoever scans the QR of his international licence may see its documents, or its withdrawal
 * (service.md "PUT /applications/{id}/sharing"). The audit row keeps when and from where the consent came.
 * @returns the application as it then stands
 * @throws {DomainError} not_found, forbidden, sharing_not_available
 */
export async function setSharing(ctx: CommandContext, id: number, { isEnabled }: { isEnabled: boolean }): Promise<ApplicationRecord> {
  const locked = await lockApplication(ctx, id);
  const { application } = locked;
  requireConsentGiver(ctx.actor, application, isEnabled);
  if (isEnabled && !(application.kind === 'international_licence' && application.status === 'approved')) {
    throw new DomainError('sharing_not_available');
  }
  if (application.sharingEnabled === isEnabled) return locked;
  application.sharingEnabled = isEnabled;
  application.sharingConfirmedAt = isEnabled ? ctx.now : null;
  markChanged(ctx, application);
  await recordStep(ctx, locked, isEnabled ? 'sharing_enabled' : 'sharing_disabled');
  return locked;
}
