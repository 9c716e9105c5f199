import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange, requireSeen } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { holdFile } from '../../files/index.ts';
import { notify } from '../../notifications/index.ts';
import { type Decision, recordDecision, requireAdministrator, requireNote } from '../../reviews/index.ts';
import { type AdditionalDocument, AdditionalDocumentEntity } from '../entities.ts';
import { findEventRow, findFileHash } from '../events/queries.ts';
import { isLiving } from '../events/states.ts';
import { additionalDocumentNotifications } from './notifications.ts';

export interface AdditionalDocumentReview {
  decision: Decision;
  /** `updated_at` as the administrator read it, an ISO 8601 instant (REV-5). */
  updatedAt?: string;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note?: string | null;
}

/** The status after each decision, from any status and also after the event, so that a public document can be revoked. */
const statusAfter = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/**
 * Applies an administrator's decision to an additional document (EVT-10). Nothing waits for the decision, so it needs no process.
 *
 * Idempotent: a repeat with the same note writes and sends nothing. Review and deletion lock the row, so a review after the deletion
 * answers not_found.
 *
 * @throws {DomainError} forbidden; not_found; validation_failed without a note; stale_revision (REV-5); file_missing (REV-6)
 */
export async function reviewAdditionalDocument(
  ctx: CommandContext,
  documentId: number,
  { decision, note = null, updatedAt }: AdditionalDocumentReview,
): Promise<Readonly<AdditionalDocument>> {
  requireAdministrator(ctx);
  requireNote(decision, note);
  const document = await lockForChange(ctx.em, AdditionalDocumentEntity, { id: documentId });
  const event = document && (await findEventRow(ctx.db, document.eventId));
  if (document === null || event === null) throw new DomainError('not_found');
  requireSeen(document, updatedAt);
  const status = statusAfter[decision];
  const reviewNote = decision === 'approve' ? null : note;
  if (document.status === status && document.reviewNote === reviewNote) return document;
  if (decision === 'approve') await holdFile(ctx, document.fileId);

  const subject = { kind: 'additional_document', id: documentId };
  const fromStatus = document.status;
  document.status = status;
  document.reviewNote = reviewNote;
  document.decidedAt = ctx.now;
  document.updatedAt = ctx.now;
  await recordDecision(ctx, { subject, decision, note, fromStatus, toStatus: status });
  const sha256 = await findFileHash(ctx.db, document.fileId);
  await audit(ctx, `additional_document.${status}`, subject, { event_id: event.id, from: fromStatus, to: status, sha256 });
  const facts = {
    event_id: event.id,
    kind: document.kind,
    ...(isLiving(event.status) ? {} : { event: 'over' }),
    ...(reviewNote === null ? {} : { note: reviewNote }),
  };
  await notify(ctx, event.ownerId, additionalDocumentNotifications[`additional_document.${status}`], subject, facts);
  return document;
}
