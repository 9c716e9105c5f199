import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { audit } from '../../audit/index.ts';
import { requireAdministrator } from '../../reviews/index.ts';
import { type ExportList, problemsOf } from '../lists/fitness.ts';
import { findListFacts, lockList } from '../lists/queries.ts';
import { nationalExportProcess } from './process.ts';
import { type ExportRecord, findExport, listNumbers, type UnfitRecord } from './queries.ts';

/** Limit of all photos in one archive, bytes (NAT-5). */
const maxPhotoBytes = 300 * 1024 * 1024;

/**
 * Requests the export of the acting administrator's personal list; its process makes the file. The list stays unchanged.
 *
 * Refuses unfit records first, then ids that differ from the stored list (NAT-4); an unknown id counts as such a difference.
 * @throws {DomainError} forbidden; export_not_possible `{records}`; selection_changed `{ids}`; photos_too_large `{bytes, limit}`
 */
export async function requestExport(ctx: CommandContext, list: ExportList, ids: readonly number[]): Promise<ExportRecord> {
  const administratorId = requireAdministrator(ctx);
  const wanted = [...new Set(ids)];
  const numbered = await listNumbers(ctx.db, wanted);
  const unfit = await findUnfit(ctx, list, wanted, new Map(numbered.map(({ id, number }) => [id, number])));
  if (unfit.length > 0) throw new DomainError('export_not_possible', { records: unfit });
  const listed = (await lockList(ctx, administratorId, list)).ids;
  if (listed.length !== wanted.length || wanted.some((id) => !listed.includes(id)))
    throw new DomainError('selection_changed', { ids: listed });
  const bytes = list === 'print' ? numbered.reduce((sum, { photoSize }) => sum + photoSize, 0) : 0;
  if (bytes > maxPhotoBytes) throw new DomainError('photos_too_large', { bytes, limit: maxPhotoBytes });

  const { requestId, ip, now } = ctx;
  const { id } = await ctx.db
    .insertInto('national_exports')
    .values({ administratorId, list, count: numbered.length, fileId: randomUUID(), requestId, requestIp: ip, requestedAt: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  const records = numbered.map(({ id: applicationId }, index) => ({ exportId: id, applicationId, list, position: index + 1 }));
  await ctx.db.insertInto('national_export_records').values(records).execute();
  await audit(ctx, 'national.export_requested', { kind: 'national_export', id }, { list, count: records.length });
  const record = await findExport(ctx.db, id);
  if (record === null) throw new Error(`export ${id} was not found in its own transaction`);
  await startProcess(ctx, nationalExportProcess, record);
  return record;
}

/** Lists the existing records that do not fit the list, each with all its problems (NAT-4). */
export async function findUnfit(
  { db }: Pick<CommandContext, 'db'>,
  list: ExportList,
  ids: readonly number[],
  numbers: ReadonlyMap<number, string>,
): Promise<UnfitRecord[]> {
  const facts = await findListFacts(db, ids);
  return ids.flatMap((id): UnfitRecord[] => {
    const known = facts.get(id);
    const problems = known === undefined ? [] : problemsOf(list, known);
    return problems.length === 0 ? [] : [{ id, number: numbers.get(id) ?? null, problems }];
  });
}
