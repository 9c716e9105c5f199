import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { lockApplicationAndWallet, markChanged } from './lock-application.ts';
import { requireOwner } from './policy.ts';
import { refundApplication } from './refund-application.ts';
import { requireTransition } from './states.ts';

/**
 * The owner gives an application up while it is not approved; what was paid goes back into the wallet (decisions.md §4).
 * @throws {DomainError} not_found, invalid_state
 */
export async function cancelApplication(ctx: CommandContext, input: { id: number; reason: string }): Promise<void> {
  const { application, record } = await lockApplicationAndWallet(ctx, input.id);
  requireOwner(ctx.actor, application);
  application.status = requireTransition(application.status, 'withdraw');
  application.cancelledAt = ctx.now;
  application.reviewNote = input.reason;
  markChanged(ctx, application);
  const subject = { kind: 'application', id: input.id };
  audit(ctx, 'application.cancelled', subject, { by: 'owner' });
  notify(ctx, application.ownerId, 'application.cancelled', subject, { service: record.service.title.en, reason: input.reason });
  if (record.certificate === null) await refundApplication(ctx, application, `application ${input.id} was cancelled by its owner`);
}
