import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { deleteMadeFile } from '../../files/index.ts';
import { NationalExportEntity } from '../entities.ts';
import { describeExport } from './describe-export.ts';
import { type ExportRecord, findExport } from './queries.ts';

/**
 * Deletes the file of an export after 30 days (NAT-6); the marks stay (NAT-10). Idempotent; does nothing before that.
 * @throws {DomainError} not_found
 */
export async function endExport(ctx: CommandContext, id: number): Promise<ExportRecord> {
  if (!(await holdUnchanged(ctx.em, NationalExportEntity, { id }))) throw new DomainError('not_found');
  const record = await recordOf(ctx, id);
  if (record.made.status !== 'ready' || !describeExport(record, ctx.now).isDue) return record;
  await deleteMadeFile(ctx, record.made.fileId);
  return recordOf(ctx, id);
}

async function recordOf(ctx: CommandContext, id: number): Promise<ExportRecord> {
  const record = await findExport(ctx.db, id);
  if (record === null) throw new Error(`export ${id} vanished under its lock`);
  return record;
}
