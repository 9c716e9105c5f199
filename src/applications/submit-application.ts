import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { approveWhenReady } from './approve-when-ready.ts';
import { lockApplicationAndDocuments, markChanged, requireYearOpen } from './lock-application.ts';
import { requireOwner } from './policy.ts';
import { missingForSubmission } from './readiness.ts';
import { factsOf } from './record.ts';
import type { ApplicationRecord } from './record.ts';
import { recordStep } from './record-step.ts';
import { requireTransition, transition } from './states.ts';

/**
 * Sends an application with a complete set of documents (service.md "Application"). One that was paid before is not charged
 * again; a national certificate whose conditions all hold is approved at once. An approved one whose documents were replaced
 * stays approved: its set is tested, and it is in force again when the documents are.
 * @returns the application as it then stands
 * @throws {DomainError} not_found, invalid_state, incomplete_application `{missing}`
 */
export async function submitApplication(ctx: CommandContext, id: number): Promise<ApplicationRecord> {
  const locked = await lockApplicationAndDocuments(ctx, id);
  const { application } = locked;
  requireOwner(ctx.actor, application);
  requireTransition(application, 'submit');
  requireYearOpen(ctx, application);
  const missing = missingForSubmission(factsOf(locked, ctx.now));
  if (missing.length > 0) throw new DomainError('incomplete_application', { missing });
  transition(application, 'submit');
  application.submittedAt = ctx.now;
  application.resubmissionDueSince = null;
  application.reviewNote = null;
  markChanged(ctx, application);
  await recordStep(ctx, locked, 'submitted');
  return approveWhenReady(ctx, locked);
}
