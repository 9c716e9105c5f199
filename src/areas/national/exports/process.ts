import { nationalExportContract } from '../../../../workflows/national-export.contract.ts';
import { defineProcess, refOf } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import type { FileDependents } from '../../files/index.ts';
import { describeExport } from './describe-export.ts';
import { endExport } from './end-export.ts';
import { findExports } from './queries.ts';

const dueAt = dueAtOf('national_exports');

/** The process of an export: makes, keeps and deletes its file. */
export const nationalExportProcess = defineProcess(nationalExportContract, {
  subject: 'national_export',
  summary: (id) => `Export ${id} of a national list: its file, until its time is over`,
  read: findExports,
  describe: describeExport,
  reconsider: endExport,
  dueAt: { of: ({ made }) => made.dueAt, save: dueAt.save },
  due: dueAt.list,
  living: livingOf('national_exports', 'due_at is not null'),
  commands: {},
});

/** Lets an administrator delete the file of an export early; the marks stay (NAT-10) and the process ends. */
export const exportFileDependents: FileDependents = {
  async listUses() {
    return [];
  },

  async letGo(ctx, file) {
    const made = await ctx.db.selectFrom('national_exports').select('id').where('fileId', '=', file.id).executeTakeFirst();
    if (made) ctx.wake(refOf(nationalExportProcess, made.id));
  },
};
