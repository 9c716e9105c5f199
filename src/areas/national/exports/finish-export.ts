import { sql } from 'kysely';
import type { ErrorCode } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { inList } from '../../../platform/database/database.ts';
import { holdUnchanged, type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { isActiveAdministrator, UserEntity } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { type NationalExport, NationalExportEntity } from '../entities.ts';
import { keptUntil } from './process.ts';
import type { UnfitRecord } from './queries.ts';
import { findUnfit } from './request-export.ts';

/**
 * Records that the file of an export is ready and marks its records as exported (NAT-10).
 *
 * Checks the records again under their locks. A certificate that was annulled meanwhile is not marked; the export stores its problems
 * (NAT-4). The export fails when the administrator who requested it was blocked or demoted meanwhile (ACC-12, NAT-4).
 * @returns whether the file is needed: not when the export failed, or a concurrent attempt was first
 */
export async function finishExport(ctx: CommandContext, id: number, file: { sha256: string; size: number }): Promise<boolean> {
  const record = await lockPending(ctx, id);
  if (record === null) return false;
  const ids = await holdRecords(ctx, id);
  // Behind the other locks, like the check of each command (`commit`).
  const administrator = await holdUnchanged(ctx.em, UserEntity, { id: record.administratorId });
  if (administrator === null || !isActiveAdministrator(administrator)) {
    await fail(ctx, record, 'forbidden', []);
    return false;
  }
  record.status = 'ready';
  record.finishedAt = ctx.now;
  record.dueAt = keptUntil(ctx.now);
  await ctx.em.flush();
  const unfit = await findUnfit(ctx, record.list, ids, new Map());
  const unfitIds = unfit.map(({ id: unfitId }) => unfitId);
  await storeProblems(ctx, id, unfit);
  await ctx.db
    .updateTable('national_export_records')
    .set({ exportedAt: ctx.now })
    .where('exportId', '=', id)
    .where('applicationId', '=', inList(ids.filter((applicationId) => !unfitIds.includes(applicationId))))
    .execute();
  const notMarked = unfitIds.length === 0 ? {} : { not_marked: unfitIds };
  await auditExport(ctx, record, 'national.exported', { file_id: record.fileId, ...file, ...notMarked });
  return true;
}

/** Locks the applications of an export in share mode. @returns their ids */
async function holdRecords({ db }: CommandContext, exportId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('applications as a')
    .innerJoin('national_export_records as r', 'r.applicationId', 'a.id')
    .where('r.exportId', '=', exportId)
    .select('a.id')
    .orderBy('a.id')
    .forShare('a')
    .execute();
  return rows.map((row) => row.id);
}

/** Records that an export failed, with the problems of each faulty record; marks none. Does nothing to an export that has ended. */
export async function failExport(ctx: CommandContext, id: number, unfit: readonly UnfitRecord[]): Promise<void> {
  const record = await lockPending(ctx, id);
  if (record !== null) await fail(ctx, record, 'export_not_possible', unfit);
}

async function fail(ctx: CommandContext, record: Locked<NationalExport>, code: ErrorCode, unfit: readonly UnfitRecord[]): Promise<void> {
  record.status = 'failed';
  record.failure = code;
  record.finishedAt = ctx.now;
  record.dueAt = null;
  await ctx.em.flush();
  await storeProblems(ctx, record.id, unfit);
  await auditExport(ctx, record, 'national.export_failed', { code, records: unfit.map(({ id: unfitId }) => unfitId) });
}

async function storeProblems({ db }: CommandContext, exportId: number, unfit: readonly UnfitRecord[]): Promise<void> {
  if (unfit.length === 0) return;
  // One statement for all records. Problems are sent as text because nested PostgreSQL arrays need equal lengths.
  const found = sql<{ applicationId: number; problems: string }>`unnest(${unfit.map(({ id: unfitId }) => unfitId)}::int[],
    ${unfit.map(({ problems }) => problems.join(' '))}::text[])`.as<'t'>(sql`t(application_id, problems)`);
  await db
    .updateTable('national_export_records as r')
    .from(found)
    .set({ problems: sql`string_to_array(t.problems, ' ')` })
    .where('r.exportId', '=', exportId)
    .whereRef('r.applicationId', '=', 't.applicationId')
    .execute();
}

async function lockPending(ctx: CommandContext, id: number): Promise<Locked<NationalExport> | null> {
  const record = await lockForChange(ctx.em, NationalExportEntity, { id });
  return record?.status === 'pending' ? record : null;
}

/** Audits in the name of the administrator who requested the export. */
async function auditExport(
  ctx: CommandContext,
  { id, list, count, administratorId, requestId, requestIp: ip }: Locked<NationalExport>,
  action: 'national.exported' | 'national.export_failed',
  data: Record<string, unknown>,
): Promise<void> {
  const actor = { kind: 'user', userId: administratorId, isAdministrator: true, impersonatedUserId: null } as const;
  await audit({ ...ctx, actor, requestId, ip }, action, { kind: 'national_export', id }, { list, count, ...data });
}
