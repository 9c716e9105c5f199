import { audit } from '../administration/audit.ts';
import { ReviewDecisionEntity } from '../administration/entities.ts';
import { requireAdministrator } from '../administration/require-administrator.ts';
import { DomainError, fieldProblem } from '../errors.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { DocumentEntity } from './entities.ts';
import { expireWhenDue } from './expire-document.ts';
import { findDocumentOwner } from './queries.ts';
import { decide } from './states.ts';
import type { DocumentDecision } from './states.ts';
import { touchLinkedApplications } from './touch-linked-applications.ts';
import { lockById } from '../platform/database/load.ts';

export interface DocumentReview {
  decision: DocumentDecision;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note: string | null;
}

/**
 * An administrator's decision on one document; nothing else changes with it (service.md "Document"). Approval clears the
 * note, the history keeps every decision. The same decision with the same note on a document that stands so already is a
 * repeat: it writes nothing and tells nobody twice.
 * @throws {DomainError} forbidden; not_found; validation_failed without a note; invalid_state when a lapsed document is approved
 */
export async function reviewDocument(ctx: CommandContext, documentId: number, { decision, note }: DocumentReview): Promise<void> {
  const actorId = requireAdministrator(ctx);
  if (decision !== 'approve' && (note === null || note.length < 5 || note.length > 3000)) {
    throw fieldProblem('body.note', 'required', 'a decision other than approval needs a note of 5-3000 characters');
  }
  const document = await lockById(ctx.em, DocumentEntity, documentId);
  if (!document) throw new DomainError('not_found');
  const ownerId = await findDocumentOwner(ctx.em, documentId);
  if (ownerId === null) throw new DomainError('not_found');

  const status = decide(document, decision, ctx.now);
  if (status === null) {
    throw new DomainError(
      'invalid_state',
      { status: document.status, expires_at: document.expiresAt },
      'The document has expired and cannot be approved.',
    );
  }
  // A lapse that nobody has marked yet is a fact of its own: the applications must hear of it before the decision hides it.
  await expireWhenDue(ctx, document);
  const reviewNote = decision === 'approve' ? null : note;
  if (document.status === status && document.reviewNote === reviewNote) return;

  ctx.em.create(ReviewDecisionEntity, {
    subjectKind: 'document',
    subjectId: documentId,
    decision,
    note,
    fromStatus: document.status,
    toStatus: status,
    actorId,
    requestId: ctx.requestId,
    at: ctx.now,
  });
  audit(ctx, `document.${status}`, { kind: 'document', id: documentId }, { from: document.status, to: status });
  document.status = status;
  document.reviewNote = reviewNote;
  document.decidedAt = ctx.now;
  document.updatedAt = ctx.now;
  notify(
    ctx,
    ownerId,
    notificationOf[decision],
    { kind: 'document', id: documentId },
    { document_type: document.type, ...(reviewNote === null ? {} : { note: reviewNote }) },
  );
  ctx.touch(processRef('document', documentId));
  await touchLinkedApplications(ctx, documentId);
}

const notificationOf = { approve: 'document.approved', changes: 'document.changes', cancel: 'document.cancelled' } as const;
