import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { recordStep, markChanged } from '../command-parts.ts';
import { requireConsentGiver } from '../policy.ts';
import { lockApplication } from '../queries.ts';
import type { ApplicationRecord } from '../record.ts';

/**
 * Records or withdraws the owner's consent to show the documents of an international licence (APP-15).
 *
 * The audit row stores when and from where the consent came.
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
