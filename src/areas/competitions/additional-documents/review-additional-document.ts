import { DomainError, fieldProblem } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { type Decision, recordDecision, requireAdministrator } from '../../reviews/index.ts';
import { type AdditionalDocument, AdditionalDocumentEntity } from '../entities.ts';
import { findEventRow, findFileHash } from '../events/queries.ts';
import { additionalDocumentNotifications } from './notifications.ts';

export interface AdditionalDocumentReview {
  decision: Decision;
  /** 5-3000 characters; required for `changes` and `cancel`. */
  note?: string | null;
}

/** Where each decision leads, from whatever was decided before; also once the event is over, so that what is public can be taken back. */
const statusAfter = { approve: 'approved', changes: 'changes', cancel: 'cancelled' } as const;

/**
 * An administrator's decision on one additional document (decisions.md §6). It takes effect at once: nothing waits for it, so there is no
 * process. The same decision with the same note again writes nothing and tells nobody twice. One that the organizer deleted meanwhile is
 * not there any more: its row is locked by both, so either the decision comes before or it finds nothing.
 * @throws {DomainError} forbidden; not_found; validation_failed without a note
 */
export async function reviewAdditionalDocument(
  ctx: CommandContext,
  documentId: number,
  { decision, note = null }: AdditionalDocumentReview,
): Promise<Readonly<AdditionalDocument>> {
  requireAdministrator(ctx);
  if (decision !== 'approve' && (note === null || note.length < 5 || note.length > 3000)) {
    throw fieldProblem('body.note', 'required', 'a decision other than approval needs a note of 5-3000 characters');
  }
  const document = await lockForChange(ctx.em, AdditionalDocumentEntity, { id: documentId });
  const event = document && (await findEventRow(ctx.db, document.eventId));
  if (document === null || event === null) throw new DomainError('not_found');
  const status = statusAfter[decision];
  const reviewNote = decision === 'approve' ? null : note;
  if (document.status === status && document.reviewNote === reviewNote) return document;

  const subject = { kind: 'additional_document', id: documentId };
  const fromStatus = document.status;
  document.status = status;
  document.reviewNote = reviewNote;
  document.decidedAt = ctx.now;
  document.updatedAt = ctx.now;
  await recordDecision(ctx, { subject, decision, note, fromStatus, toStatus: status });
  const sha256 = await findFileHash(ctx.db, document.fileId);
  await audit(ctx, `additional_document.${status}`, subject, { event_id: event.id, from: fromStatus, to: status, sha256 });
  const facts = { event_id: event.id, kind: document.kind, ...(reviewNote === null ? {} : { note: reviewNote }) };
  await notify(ctx, event.ownerId, additionalDocumentNotifications[`additional_document.${status}`], subject, facts);
  return document;
}
