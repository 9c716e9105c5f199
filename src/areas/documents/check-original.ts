import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';
import { audit } from '../audit/index.ts';
import { requireAdministrator } from '../reviews/index.ts';
import type { Document } from './entities.ts';
import { lockDocument } from './lock-document.ts';

/**
 * Records that an administrator compared an approved document with its original.
 * @throws {DomainError} forbidden; not_found; invalid_state unless the document is approved
 */
export async function checkOriginal(ctx: CommandContext, documentId: number): Promise<Readonly<Document>> {
  requireAdministrator(ctx);
  const { document } = await lockDocument(ctx, documentId);
  if (document.status !== 'approved') throw new DomainError('invalid_state');
  await audit(ctx, 'document.original_checked', { kind: 'document', id: documentId });
  return document;
}
