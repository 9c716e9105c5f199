import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { countRows } from '../../../platform/database/database.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { lockOwnFile } from '../../files/index.ts';
import { type AdditionalDocument, AdditionalDocumentEntity, type Event, EventEntity } from '../entities.ts';
import { type AdditionalDocumentKind, isLiving } from '../events/states.ts';
import { requireEventOwner } from '../policy.ts';

/** Limit for one event; it bounds the administrators' queue (EVT-10). */
export const mostAdditionalDocuments = 100;

export interface AdditionalDocumentFields {
  fileId: string;
  /** Shown in the public calendar. */
  title: string;
  kind: AdditionalDocumentKind;
}

/**
 * Adds a bulletin, scheme, schedule or other document to the caller's live event and submits it for review (EVT-10).
 *
 * The lock on the event makes parallel requests respect the limit.
 *
 * @throws {DomainError} not_found; invalid_state with the event's status; validation_failed when the file is not the caller's;
 *   quota_exceeded
 */
export async function addAdditionalDocument(
  ctx: CommandContext,
  eventId: number,
  fields: AdditionalDocumentFields,
): Promise<Readonly<AdditionalDocument>> {
  const event = requireEventOwner(ctx.actor, await lockForChange(ctx.em, EventEntity, { id: eventId }));
  requireLiving(event);
  const { sha256 } = await lockOwnFile(ctx, fields.fileId, event.ownerId);
  const used = await countRows(ctx.db.selectFrom('additional_documents').where('eventId', '=', eventId));
  if (used >= mostAdditionalDocuments)
    throw new DomainError('quota_exceeded', { quota: 'additional_documents', used, limit: mostAdditionalDocuments });

  const document = ctx.em.create(AdditionalDocumentEntity, {
    eventId,
    ...fields,
    status: 'pending',
    reviewNote: null,
    decidedAt: null,
    createdAt: ctx.now,
    updatedAt: ctx.now,
  });
  // The flush makes the database assign the id that the audit row needs.
  await ctx.em.flush();
  const subject = { kind: 'additional_document', id: document.id };
  await audit(ctx, 'additional_document.added', subject, { event_id: eventId, kind: fields.kind, sha256 });
  return document;
}

/** @throws {DomainError} invalid_state, when the event is completed or cancelled */
export function requireLiving({ status }: Pick<Event, 'status'>): void {
  if (!isLiving(status))
    throw new DomainError('invalid_state', { status }, 'The event is completed or cancelled; its documents cannot change.');
}
