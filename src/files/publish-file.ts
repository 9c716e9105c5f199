import { audit } from '../audit/index.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { uploadLifetimeMs } from './purge-deleted-files.ts';

/**
 * Makes a reserved file visible, its bytes being in storage. One that took so long that the sweep may be clearing it is given up.
 * @throws {DomainError} service_unavailable
 */
export async function publishFile(ctx: CommandContext, fileId: string): Promise<void> {
  const file = await ctx.db
    .updateTable('files')
    .set({ deletedAt: null })
    .where('id', '=', fileId)
    .where('purgedAt', 'is', null)
    .where('deletedAt', '>', new Date(ctx.now.getTime() - uploadLifetimeMs))
    .returning(['sha256', 'purpose', 'size'])
    .executeTakeFirst();
  if (!file) throw new DomainError('service_unavailable', undefined, 'The upload took too long; send the file again.');
  await audit(ctx, 'file.uploaded', { kind: 'file', id: fileId }, file);
}
