import { nationalExportContract } from '../../../../workflows/contracts/national-export.contract.ts';
import { assertNever, DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { dayMs, formatDateTime } from '../../../platform/time/date-time.ts';
import { defineProcess, type ProcessState, refOf } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { deleteMadeFile, type FileDependents } from '../../files/index.ts';
import { NationalExportEntity } from '../entities.ts';
import { type ExportRecord, findExport, findExports } from './queries.ts';

/** How long the file of an export is kept, milliseconds (NAT-6). */
const keptMs = 30 * dayMs;

/** The instant at which the file of an ended export is deleted. */
export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + keptMs);
}

/** Describes an export's process for support in the Temporal UI; without personal data. */
function describeExport({ list, count, status, finishedAt, failure, isFileStored }: ExportRecord, now: Date): ProcessState {
  const what = `the list ${list}, ${count} records`;
  const over = { stage: status, waitingFor: 'none', isOver: true, isDue: false, next: null } as const;
  switch (status) {
    case 'pending':
      return { stage: status, waitingFor: 'none', details: `Creates the file of ${what}.`, isOver: false, isDue: true, next: null };
    case 'ready': {
      if (!isFileStored || finishedAt === null) return { ...over, details: `Over: the file of ${what} was deleted.` };
      const at = keptUntil(finishedAt);
      const details = `Keeps the file of ${what} until ${formatDateTime(at)}.`;
      const next = { at, why: 'its file is deleted' };
      return { stage: status, waitingFor: 'date', details, isOver: false, isDue: at <= now, next };
    }
    case 'failed':
      return { ...over, details: `Over: the file of ${what} could not be created: ${failure}.` };
    default:
      return assertNever(status);
  }
}

/**
 * Deletes the file of an export after 30 days (NAT-6); the marks stay (NAT-10). Idempotent; does nothing before that.
 * @throws {DomainError} not_found
 */
async function endExport(ctx: CommandContext, id: number): Promise<ExportRecord> {
  if (!(await holdUnchanged(ctx.em, NationalExportEntity, { id }))) throw new DomainError('not_found');
  const record = await recordOf(ctx, id);
  if (record.status !== 'ready' || !describeExport(record, ctx.now).isDue) return record;
  await deleteMadeFile(ctx, record.fileId);
  return recordOf(ctx, id);
}

async function recordOf(ctx: CommandContext, id: number): Promise<ExportRecord> {
  const record = await findExport(ctx.db, id);
  if (record === null) throw new Error(`export ${id} was not found in its own transaction`);
  return record;
}

const dueAt = dueAtOf('national_exports');

/** The process of an export: creates, keeps and deletes its file. */
export const nationalExportProcess = defineProcess(nationalExportContract, {
  subject: 'national_export',
  summary: (id) => `Export ${id} of a national list: creates its file and deletes it after 30 days`,
  read: findExports,
  describe: describeExport,
  reconsider: endExport,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('national_exports', 'due_at is not null'),
  commands: {},
});

/** Lets an administrator delete the file of an export early; the marks stay (NAT-10) and the process ends. */
export const exportFileDependents: FileDependents = {
  async listUses() {
    return [];
  },

  async letGo(ctx, file) {
    const row = await ctx.db.selectFrom('national_exports').select('id').where('fileId', '=', file.id).executeTakeFirst();
    if (row) ctx.wake(refOf(nationalExportProcess, row.id));
  },
};
