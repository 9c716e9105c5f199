import type { FileDependents } from '../files/index.ts';
import { refOf } from '../platform/workflows/define-process.ts';
import { nationalExportProcess } from './process.ts';

/** An administrator may delete the file of an export before its time; the marks stay, and its process has nothing to wait for. */
export const exportFileDependents: FileDependents = {
  async listUses() {
    return [];
  },

  async letGo(ctx, file) {
    const made = await ctx.db.selectFrom('national_exports').select('id').where('fileId', '=', file.id).executeTakeFirst();
    if (made) ctx.wake(refOf(nationalExportProcess, made.id));
  },
};
