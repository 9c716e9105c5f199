import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { approveWhenReady } from './approve-application.ts';
import { issuedPrice, markChanged, recordStep } from './command-parts.ts';
import { requireOwner, requireOpen } from './policy.ts';
import { lockApplicationAndDocuments } from './queries.ts';
import { missingForSubmission, factsOf } from './readiness/readiness.ts';
import type { ApplicationRecord } from './record.ts';
import { requireTransition, transition } from './states.ts';

/**
 * Submits an application for review (APP-3).
 *
 * Gives a draft its final price (CAT-3). Approves a national certificate at once when it is ready (APP-5). An application that was
 * paid before is not charged again. An approved one with replaced documents stays approved (APP-10); without any, nothing is written.
 * @throws {DomainError} not_found, invalid_state, incomplete_application `{missing}`; validation_failed when the service no longer sells
 * the territory
 */
export async function submitApplication(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndDocuments(ctx, id);
  const { application } = locked;
  requireOwner(ctx.actor, application);
  requireTransition(application, 'submit');
  requireOpen(ctx, locked);
  const missing = missingForSubmission(factsOf(locked, ctx.now));
  if (missing.length > 0) throw new DomainError('incomplete_application', { missing });
  if (application.status === 'approved' && application.resubmissionDueSince === null) return locked;
  const drafted = application.status === 'draft' ? application.amountMinor : null;
  if (drafted !== null) Object.assign(application, await issuedPrice(ctx, application));
  transition(application, 'submit');
  application.submittedAt = ctx.now;
  application.resubmissionDueSince = null;
  application.reviewNote = null;
  markChanged(ctx, application);
  const isRepriced = drafted !== null && drafted !== application.amountMinor;
  await recordStep(ctx, locked, 'submitted', isRepriced ? { amount_minor: application.amountMinor } : {});
  return approveWhenReady(ctx, locked);
}
