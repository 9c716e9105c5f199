import { audit } from '../audit/index.ts';
import type { CommandContext } from '../platform/context.ts';

/**
 * Deletes what the registry made, when its time is over: nobody finds it from now on, the sweep clears its bytes. Does nothing to a file that
 * is deleted.
 */
export async function deleteMadeFile(ctx: CommandContext, fileId: string): Promise<void> {
  const file = await ctx.db
    .updateTable('files')
    .set({ deletedAt: ctx.now })
    .where('id', '=', fileId)
    .where('deletedAt', 'is', null)
    .returning(['sha256', 'purpose'])
    .executeTakeFirst();
  if (file) await audit(ctx, 'file.deleted', { kind: 'file', id: fileId }, { sha256: file.sha256, purpose: file.purpose });
}
