import { randomUUID } from 'node:crypto';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { dayMs } from '../../../platform/time/date-time.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import { audit } from '../../audit/index.ts';
import { accountExportProcess } from './process.ts';
import { type ExportRecord, findExport } from './queries.ts';

/**
 * Requests an export of an account's own data; its process makes the archive (PRV-2).
 * @throws {DomainError} rate_limited within a day of the last one
 */
export async function requestExport(ctx: CommandContext, userId: number): Promise<ExportRecord> {
  const { db, requestId, ip: requestIp, now: requestedAt } = ctx;
  // Of two concurrent requests the later one sees the first.
  await db.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirstOrThrow();
  const last = await db
    .selectFrom('account_exports')
    .select('requestedAt')
    .where('userId', '=', userId)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  const waitMs = last === undefined ? 0 : last.requestedAt.getTime() + dayMs - requestedAt.getTime();
  if (waitMs > 0) throw new DomainError('rate_limited', { retry_after_seconds: Math.ceil(waitMs / 1000) });
  const { id } = await db
    .insertInto('account_exports')
    .values({ userId, fileId: randomUUID(), requestId, requestIp, requestedAt, dueAt: requestedAt })
    .returning('id')
    .executeTakeFirstOrThrow();
  await audit(ctx, 'account_export.requested', { kind: 'account_export', id });
  const record = await findExport(db, id);
  if (record === null) throw new Error(`export ${id} was not found in its own transaction`);
  await startProcess(ctx, accountExportProcess, record);
  return record;
}
