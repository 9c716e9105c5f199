import type { CommandContext } from '../../platform/commands/context.ts';
import { requireSeen } from '../../platform/database/lock.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { audit } from '../audit/index.ts';
import { holdFile } from '../files/index.ts';
import { type NotificationFacts, notify } from '../notifications/index.ts';
import { type Decision, recordDecision, requireAdministrator, requireNote } from '../reviews/index.ts';
import { listNeeding, listUses, wakeDependents } from './dependents.ts';
import type { Document } from './entities.ts';
import { expireWhenDue } from './expire-document.ts';
import { documentNotifications } from './notifications.ts';
import { lockDocument } from './queries.ts';
import { checkTransition, transition } from './states.ts';

interface DocumentReview {
  decision: Decision;
  /** `updated_at` as the administrator read it, an ISO 8601 instant (REV-5). */
  updatedAt?: string;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note?: string | null;
}

/**
 * Records an administrator's decision on one document (DOC-2). Approval clears the note; the history keeps every decision.
 *
 * Idempotent: the same decision with the same note writes nothing and sends no second notification.
 * @throws {DomainError} forbidden; not_found; validation_failed without a note; invalid_state when an expired document is approved;
 *   stale_revision (REV-5); file_missing when its file was deleted (REV-6)
 */
export async function reviewDocument(
  ctx: CommandContext,
  documentId: number,
  { decision, note = null, updatedAt }: DocumentReview,
): Promise<Readonly<Document>> {
  requireAdministrator(ctx);
  requireNote(decision, note);
  const { document, ownerId } = await lockDocument(ctx, documentId);
  requireSeen(document, updatedAt);
  // Checked before the expiry is recorded, so that an error names the status that the administrator has seen.
  const status = checkTransition(document, decision, ctx.now);
  // An unrecorded expiry is recorded first: its applications must react to it before the decision replaces the status.
  await expireWhenDue(ctx, document, ownerId);
  const reviewNote = decision === 'approve' ? null : note;
  if (document.status === status && document.reviewNote === reviewNote) return document;
  if (decision === 'approve') await holdFile(ctx, document.fileId);

  const subject = { kind: 'document', id: documentId };
  const fromStatus = document.status;
  transition(document, decision, ctx.now);
  document.reviewNote = reviewNote;
  document.decidedAt = ctx.now;
  document.updatedAt = ctx.now;
  await recordDecision(ctx, { subject, decision, note, fromStatus, toStatus: status });
  await audit(ctx, notificationOf[decision], subject, { from: fromStatus, to: status });
  const facts = {
    document_type: document.type,
    ...(decision === 'changes' ? await correctionOf(ctx, documentId) : {}),
    ...(reviewNote === null ? {} : { note: reviewNote }),
  };
  await notify(ctx, ownerId, documentNotifications[notificationOf[decision]], subject, facts);
  ctx.wake(processRef('document', documentId));
  await wakeDependents(ctx, documentId);
  return document;
}

/** What its owner can do about a returned document: change it, or send another in its place while it is in use (DOC-3, NOT-7). */
async function correctionOf(ctx: CommandContext, documentId: number): Promise<NotificationFacts> {
  if ((await listUses(ctx, documentId)).length === 0) return {};
  return { change: 'closed', applications: await listNeeding(ctx, documentId) };
}

const notificationOf = { approve: 'document.approved', changes: 'document.changes', cancel: 'document.cancelled' } as const;
