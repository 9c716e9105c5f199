import { audit } from '../administration/audit.ts';
import { notify } from '../messages/index.ts';
import type { CommandContext } from '../platform/context.ts';
import { DocumentEntity } from './entities.ts';
import type { Document } from './entities.ts';
import { findDocumentOwner } from './queries.ts';
import { isExpiryDue } from './states.ts';
import { touchLinkedApplications } from './touch-linked-applications.ts';
import { lockById } from '../platform/database/load.ts';

/**
 * Marks a document whose last day has passed as expired and tells everyone concerned (service.md "Document"): the owner, and
 * each live application that stands on it. Does nothing when it is not due, so it may be run at any time and again.
 * @returns whether the document expired now
 */
export async function expireDocument(ctx: CommandContext, documentId: number): Promise<boolean> {
  const document = await lockById(ctx.em, DocumentEntity, documentId);
  return document !== null && expireWhenDue(ctx, document);
}

/** The same for a row that the caller has locked. */
export async function expireWhenDue(ctx: CommandContext, document: Document): Promise<boolean> {
  if (!isExpiryDue(document, ctx.now) || document.expiresAt === null) return false;
  const ownerId = await findDocumentOwner(ctx.em, document.id);
  const applications = await touchLinkedApplications(ctx, document.id);
  document.status = 'expired';
  document.reviewNote = expiryReason(document.id, document.expiresAt, applications);
  document.updatedAt = ctx.now;
  audit(
    ctx,
    'document.expired',
    { kind: 'document', id: document.id },
    { expires_at: document.expiresAt, applications, reason: document.reviewNote },
  );
  if (ownerId !== null) {
    const facts = { document_type: document.type, expires_at: document.expiresAt, applications: applications.join(', ') };
    notify(ctx, ownerId, 'document.expired', { kind: 'document', id: document.id }, facts);
  }
  return true;
}

/** Names the expired document and the applications that stand on it, as service.md "Document" asks. */
function expiryReason(documentId: number, expiresAt: string, applications: readonly number[]): string {
  const expired = `Document ${documentId} expired after ${expiresAt}.`;
  return applications.length === 0 ? expired : `${expired} Linked applications: ${applications.join(', ')}.`;
}
