import { audit } from '../administration/audit.ts';
import { checkAll, DomainError } from '../errors.ts';
import { lockOwnFile } from '../files/index.ts';
import { actingUserId } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { checkDates } from './check-dates.ts';
import type { DocumentFields } from './create-document.ts';
import { DocumentEntity } from './entities.ts';
import type { Document } from './entities.ts';
import { findDocumentOwner, listUses } from './queries.ts';
import { statusAfterChange } from './states.ts';
import { touchLinkedApplications } from './touch-linked-applications.ts';
import { lockById } from '../platform/database/load.ts';

/**
 * Changes an unused document, whatever its state; it goes back to review and its note is cleared (service.md "Document",
 * decisions.md §3). A change that changes nothing leaves it as it is. The row's lock keeps the document from being attached
 * to an application in the meantime: whoever attaches or submits locks it too.
 * @throws {DomainError} not_found; document_in_use with the applications; validation_failed when the days do not fit
 */
export async function updateDocument(ctx: CommandContext, documentId: number, changes: Partial<DocumentFields>): Promise<void> {
  const document = await lockById(ctx.em, DocumentEntity, documentId);
  const ownerId = await findDocumentOwner(ctx.em, documentId);
  if (!document || ownerId === null || ownerId !== actingUserId(ctx.actor)) throw new DomainError('not_found');
  const applications = await listUses(ctx.em, documentId);
  if (applications.length > 0) throw new DomainError('document_in_use', { applications });

  const changed = changedFields(document, changes);
  if (changed.length === 0) return;
  const { issuedAt = document.issuedAt, expiresAt = document.expiresAt } = changes;
  const newFileId = changed.includes('fileId') ? changes.fileId : undefined;
  await checkAll(
    () => checkDates({ issuedAt, expiresAt }, ctx.now),
    () => (newFileId === undefined ? null : lockOwnFile(ctx, newFileId, ownerId)),
  );

  Object.assign(document, changes);
  document.status = statusAfterChange;
  document.reviewNote = null;
  document.updatedAt = ctx.now;
  audit(ctx, 'document.updated', { kind: 'document', id: documentId }, { changed });
  ctx.touch(processRef('document', documentId));
  await touchLinkedApplications(ctx, documentId);
}

function changedFields(document: Document, changes: Partial<DocumentFields>): (keyof DocumentFields)[] {
  const names = ['type', 'fileId', 'number', 'country', 'issuedAt', 'expiresAt'] as const;
  return names.filter((name) => changes[name] !== undefined && changes[name] !== document[name]);
}
