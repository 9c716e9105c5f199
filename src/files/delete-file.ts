import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { processRef } from '../platform/process-ref.ts';
import { StoredFileEntity } from './entities.ts';
import { fileUses } from './queries.ts';
import { lockById } from '../platform/database/load.ts';

const noteOfMissingFile = 'The file of this document was deleted; attach a new one.';

/**
 * Deletes an unused file: nobody finds it from now on, its bytes are purged after the commit. A document that stands in no
 * application but drafts does not hold its file (decisions.md §3 "Unused"); it goes to `changes` and waits for another one.
 * The lock on the row makes `lockOwnFile` wait, so a file is either attached or deleted, never both.
 * @throws {DomainError} not_found; file_in_use with `used_by: [{kind, id}]`
 */
export async function deleteFile(ctx: CommandContext, { fileId, ownerId }: { fileId: string; ownerId: number }): Promise<void> {
  // Documents before files, the order in which whoever attaches a file takes them.
  await ctx.em.execute('select id from documents where file_id = ? order by id for update', [fileId]);
  const file = await lockById(ctx.em, StoredFileEntity, fileId);
  if (!file || file.ownerId !== ownerId || file.deletedAt !== null) throw new DomainError('not_found');
  const uses = await fileUses(ctx.em, fileId);
  if (uses.length > 0) throw new DomainError('file_in_use', { used_by: uses });

  file.deletedAt = ctx.now;
  audit(ctx, 'file.deleted', { kind: 'file', id: fileId }, { sha256: file.sha256, purpose: file.purpose });
  const documents = await ctx.em.execute<{ id: number }[]>(
    `update documents set status = 'changes', review_note = ?, updated_at = ? where file_id = ? and status in ('pending', 'approved') returning id`,
    [noteOfMissingFile, ctx.now, fileId],
  );
  for (const { id } of documents) {
    audit(ctx, 'document.file_deleted', { kind: 'document', id }, { sha256: file.sha256 });
    ctx.touch(processRef('document', id));
  }
}
