import type { CommandContext } from '../../../platform/commands/context.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { deleteMadeFile } from '../../files/index.ts';
import { nationalExportProcess } from './process.ts';

/** Ends the exports that name a person who is erased (PRV-5): their files are deleted before their time. Idempotent. */
export async function endExportsOf(ctx: CommandContext, userId: number): Promise<void> {
  const exports = await ctx.db
    .selectFrom('national_exports as e')
    .innerJoin('national_export_records as r', 'r.exportId', 'e.id')
    .innerJoin('applications as a', 'a.id', 'r.applicationId')
    .innerJoin('files as f', (join) => join.onRef('f.id', '=', 'e.fileId').on('f.deletedAt', 'is', null))
    .where('a.ownerId', '=', userId)
    .select(['e.id', 'e.fileId'])
    .distinct()
    .orderBy('e.id')
    .execute();
  for (const { id, fileId } of exports) {
    await deleteMadeFile(ctx, fileId);
    ctx.wake(refOf(nationalExportProcess, id));
  }
}
