import { accountExportContract } from '../../../../workflows/contracts/account-export.contract.ts';
import { assertNever, DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { dayMs, formatDateTime } from '../../../platform/time/date-time.ts';
import { defineProcess, type ProcessState, refOf } from '../../../platform/workflows/define-process.ts';
import { dueAtOf, livingOf } from '../../../platform/workflows/due-at.ts';
import { deleteMadeFile, type FileDependents } from '../../files/index.ts';
import { AccountExportEntity } from '../entities.ts';
import { type ExportRecord, findExport, findExports } from './queries.ts';

/** How long an archive is kept, milliseconds (PRV-2). */
const keptMs = 7 * dayMs;

/** The instant at which the archive of an ended export is deleted. */
export function keptUntil(finishedAt: Date): Date {
  return new Date(finishedAt.getTime() + keptMs);
}

/** Describes an export's process for support in the Temporal UI; without personal data. */
function describeExport({ userId, status, finishedAt }: ExportRecord, now: Date): ProcessState {
  const what = `the archive of the data of account ${userId}`;
  switch (status) {
    case 'preparing':
      return { stage: 'due', waitingFor: 'none', details: `Creates ${what}.`, isOver: false, isDue: true, next: null };
    case 'ready': {
      const at = keptUntil(finishedAt ?? now);
      const details = `Keeps ${what} until ${formatDateTime(at)}.`;
      return { stage: status, waitingFor: 'date', details, isOver: false, isDue: at <= now, next: { at, why: 'its archive is deleted' } };
    }
    case 'expired':
      return { stage: status, waitingFor: 'none', details: `Over: ${what} was deleted.`, isOver: true, isDue: false, next: null };
    default:
      return assertNever(status);
  }
}

/**
 * Deletes the archive of an export after seven days, or ends the export whose owner has deleted it (PRV-2). Idempotent; does nothing else.
 * @throws {DomainError} not_found
 */
async function endExport(ctx: CommandContext, id: number): Promise<ExportRecord> {
  const row = await lockForChange(ctx.em, AccountExportEntity, { id });
  const record = await findExport(ctx.db, id);
  if (row === null || record === null) throw new DomainError('not_found');
  if (row.status !== 'ready') return record;
  const isDeleted = record.bytes === null;
  if (!isDeleted && !describeExport(record, ctx.now).isDue) return record;
  if (!isDeleted) await deleteMadeFile(ctx, record.fileId);
  row.status = 'expired';
  row.dueAt = null;
  return { ...row, bytes: null };
}

const dueAt = dueAtOf('account_exports');

/** The process of an export: creates, keeps and deletes its archive. */
export const accountExportProcess = defineProcess(accountExportContract, {
  subject: 'account_export',
  summary: (id) => `Export ${id} of an account's data: creates its archive and deletes it after seven days`,
  read: findExports,
  describe: describeExport,
  since: ({ requestedAt, finishedAt }) => finishedAt ?? requestedAt,
  reconsider: endExport,
  dueAt: { of: (row) => row.dueAt, save: dueAt.save },
  listDue: dueAt.list,
  listLiving: livingOf('account_exports', 'due_at is not null'),
  commands: {},
});

/** The owner may delete an archive early; its process ends then. */
export const archiveDependents: FileDependents = {
  async listUses() {
    return [];
  },

  async letGo(ctx, file) {
    const row = await ctx.db.selectFrom('account_exports').select('id').where('fileId', '=', file.id).executeTakeFirst();
    if (row) ctx.wake(refOf(accountExportProcess, row.id));
  },
};
