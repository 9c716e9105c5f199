import type { CommandContext } from '../platform/context.ts';
import type { Document } from './entities.ts';
import { expireWhenDue } from './expire-document.ts';
import { lockDocument } from './lock-document.ts';
import { remindWhenDue } from './remind-document.ts';

/**
 * Does what has become due for a document without anybody asking, by what it finds under the lock; so it may run at any time and again: it
 * expires when its last day has passed, and before that its owner is reminded.
 * @throws {DomainError} not_found
 */
export async function reconsiderDocument(ctx: CommandContext, documentId: number): Promise<Readonly<Document>> {
  const { document, ownerId } = await lockDocument(ctx, documentId);
  await expireWhenDue(ctx, document, ownerId);
  await remindWhenDue(ctx, document, ownerId);
  return document;
}
