import { checkAll, DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/commands/context.ts';
import { processRef } from '../../platform/workflows/process-ref.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { audit } from '../audit/index.ts';
import { lockOwnFile } from '../files/index.ts';
import type { DocumentFields } from './create-document.ts';
import { listUses, usesByKind, wakeDependents } from './dependents.ts';
import type { Document } from './entities.ts';
import { lockDocument } from './queries.ts';
import { checkDates, transition } from './states.ts';

/**
 * Changes an unused document (DOC-3) and returns it to review (DOC-7).
 *
 * Values equal to the stored ones change nothing. The row lock prevents the document from being attached to an application
 * meanwhile: attaching and submitting lock it too.
 * @throws {DomainError} not_found; document_in_use with its uses; validation_failed when the days do not fit
 */
export async function updateDocument(
  ctx: CommandContext,
  documentId: number,
  changes: Partial<DocumentFields>,
): Promise<Readonly<Document>> {
  const { document, ownerId } = await lockDocument(ctx, documentId);
  if (ownerId !== actingUserId(ctx.actor)) throw refusalOf('not_found', { kind: 'document', id: documentId });
  const uses = await listUses(ctx, documentId);
  if (uses.length > 0) throw new DomainError('document_in_use', usesByKind(uses));

  const changed = changedFields(document, changes);
  if (changed.length === 0) return document;
  const { issuedAt = document.issuedAt, expiresAt = document.expiresAt } = changes;
  const newFileId = changed.includes('fileId') ? changes.fileId : undefined;
  await checkAll(
    () => checkDates({ issuedAt, expiresAt }, ctx.now),
    () => (newFileId === undefined ? null : lockOwnFile(ctx, newFileId, ownerId)),
  );

  transition(document, 'edit', ctx.now);
  Object.assign(document, changes);
  document.reviewNote = null;
  document.updatedAt = ctx.now;
  await audit(ctx, 'document.updated', { kind: 'document', id: documentId }, { changed });
  ctx.wake(processRef('document', documentId));
  await wakeDependents(ctx, documentId);
  return document;
}

function changedFields(document: Readonly<Document>, changes: Partial<DocumentFields>): (keyof DocumentFields)[] {
  const names = ['type', 'fileId', 'number', 'country', 'issuedAt', 'expiresAt'] as const;
  return names.filter((name) => changes[name] !== undefined && changes[name] !== document[name]);
}
