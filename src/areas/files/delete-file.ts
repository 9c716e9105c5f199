import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/commands/context.ts';
import { lockForChange } from '../../platform/database/lock.ts';
import { refusalOf } from '../../platform/logging/security-log.ts';
import { audit } from '../audit/index.ts';
import { StoredFileEntity } from './entities.ts';
import { fileDependents, type FileUse } from './policy.ts';

/**
 * Deletes an unused file (FIL-5): it is hidden at once, its bytes are purged after the commit.
 *
 * Records that name the file without preventing its deletion are updated (`fileDependents`). The row lock makes `lockOwnFile`
 * wait, so a file is either attached or deleted, never both.
 * @throws {DomainError} not_found; file_in_use with `used_by: [{kind, id}]`
 */
export async function deleteFile(ctx: CommandContext, { fileId, ownerId }: { fileId: string; ownerId: number }): Promise<void> {
  const dependents = ctx.extensions.of(fileDependents);
  // Before the file itself: the lock order of commands that attach a file.
  for (const { lock } of dependents) await lock?.(ctx, fileId);
  const file = await lockForChange(ctx.em, StoredFileEntity, { id: fileId });
  if (!file || file.deletedAt !== null) throw new DomainError('not_found');
  if (file.ownerId !== ownerId) throw refusalOf('not_found', { kind: 'file', id: fileId });

  const uses: FileUse[] = [];
  for (const { listUses } of dependents) uses.push(...(await listUses(ctx, fileId)));
  if (uses.length > 0) throw new DomainError('file_in_use', { used_by: uses.toSorted(byKindAndId) });

  file.deletedAt = ctx.now;
  await ctx.em.flush();
  await audit(ctx, 'file.deleted', { kind: 'file', id: fileId }, { sha256: file.sha256, purpose: file.purpose });
  for (const { letGo } of dependents) await letGo?.(ctx, file);
}

function byKindAndId(a: FileUse, b: FileUse): number {
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1;
  return a.id - b.id;
}
