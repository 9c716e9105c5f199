import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import { AdditionalDocumentEntity } from '../entities.ts';
import { holdOwnEvent, findFileHash } from '../events/queries.ts';
import { requireLiving } from './add-additional-document.ts';

/**
 * Deletes an additional document of the caller's live event in any status; the file stays (EVT-10). To correct a returned document the
 * organizer deletes it and adds a new one.
 * @throws {DomainError} not_found; invalid_state with the event's status
 */
export async function deleteAdditionalDocument(ctx: CommandContext, eventId: number, documentId: number): Promise<void> {
  const { event } = await holdOwnEvent(ctx, eventId);
  const document = await lockForChange(ctx.em, AdditionalDocumentEntity, { id: documentId, eventId });
  if (document === null) throw new DomainError('not_found');
  requireLiving(event);
  const { kind, status, fileId } = document;
  const sha256 = await findFileHash(ctx.db, fileId);
  ctx.em.remove(document);
  await ctx.em.flush();
  const subject = { kind: 'additional_document', id: documentId };
  const facts = { event_id: eventId, kind, status, sha256 };
  await audit(ctx, 'additional_document.deleted', subject, facts, { ownerId: event.ownerId, parentId: eventId });
}
