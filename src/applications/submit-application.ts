import { DomainError } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { takeDocuments } from './application-content.ts';
import { approveWhenReady } from './approve-when-ready.ts';
import { lockApplication, markChanged, requireYearOpen, rereadRecord } from './lock-application.ts';
import { requireOwner } from './policy.ts';
import { missingForSubmission } from './readiness.ts';
import { factsOf } from './record.ts';
import { requireTransition } from './states.ts';

/**
 * Sends an application with a complete set of documents (service.md "Application"). One that was paid before is not charged
 * again; a national certificate whose conditions all hold is approved at once. An approved one whose documents were replaced
 * stays approved: its set is tested, and it is in force again when the documents are.
 * @throws {DomainError} not_found, invalid_state, incomplete_application `{missing}`
 */
export async function submitApplication(ctx: CommandContext, id: number): Promise<void> {
  const { application, record } = await lockApplication(ctx, id);
  requireOwner(ctx.actor, application);
  const next = requireTransition(application.status, 'submit');
  requireYearOpen(ctx, application);
  // Locks the documents, so that none of them is changed as "unused" while it becomes used; then reads how they stand now.
  await takeDocuments(
    ctx,
    application.profileId,
    record.documents.map((document) => document.id),
  );
  const missing = missingForSubmission(factsOf(await rereadRecord(ctx, id), ctx.now));
  if (missing.length > 0) throw new DomainError('incomplete_application', { missing });
  application.status = next;
  application.submittedAt = ctx.now;
  application.reviewNote = null;
  markChanged(ctx, application);
  audit(ctx, 'application.submitted', { kind: 'application', id });
  await approveWhenReady(ctx, application);
}
