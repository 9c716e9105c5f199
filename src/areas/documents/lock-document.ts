import { DomainError } from '../../errors.ts';
import { actingUserId, type CommandContext } from '../../platform/context.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type Document, DocumentEntity } from './entities.ts';
import { findDocumentOwner } from './queries.ts';

/** Locks a document until the transaction ends. @throws {DomainError} not_found */
export async function lockDocument(ctx: CommandContext, documentId: number): Promise<{ document: Locked<Document>; ownerId: number }> {
  const document = await lockForChange(ctx.em, DocumentEntity, { id: documentId });
  if (!document) throw new DomainError('not_found');
  return { document, ownerId: await findDocumentOwner(ctx.db, documentId) };
}

/** Locks a document of the caller. @throws {DomainError} not_found */
export async function lockOwnDocument(ctx: CommandContext, documentId: number): Promise<Locked<Document>> {
  const { document, ownerId } = await lockDocument(ctx, documentId);
  if (ownerId !== actingUserId(ctx.actor)) throw new DomainError('not_found');
  return document;
}
