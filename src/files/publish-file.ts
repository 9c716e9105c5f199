import { DomainError } from '../errors.ts';
import { audit } from '../administration/audit.ts';
import type { CommandContext } from '../platform/context.ts';
import { leftoverAgeMs } from './purge-deleted-files.ts';

/**
 * Brings a reserved file to life, its bytes being in storage. One that took so long that the sweep may be clearing it is given up.
 * @throws {DomainError} service_unavailable
 */
export async function publishFile(ctx: CommandContext, fileId: string): Promise<void> {
  const [file] = await ctx.em.execute<{ sha256: string; purpose: string; size: number }[]>(
    'update files set deleted_at = null where id = ? and purged_at is null and deleted_at > ? returning sha256, purpose, size',
    [fileId, new Date(ctx.now.getTime() - leftoverAgeMs)],
  );
  if (!file) throw new DomainError('service_unavailable', undefined, 'The upload took too long; send the file again.');
  audit(ctx, 'file.uploaded', { kind: 'file', id: fileId }, file);
}
