import { DomainError, isDomainError } from '../../errors.ts';
import type { Actor, CommandContext } from '../../platform/commands/context.ts';
import { json } from '../../platform/database/database.ts';
import { type Locked, lockForChange } from '../../platform/database/lock.ts';
import { requireStillAllowed } from '../accounts/index.ts';
import { type Import, ImportEntity } from './entities.ts';
import { importRows } from './import-rows.ts';
import { keptUntil } from './kept-until.ts';

/**
 * Saves the next batch of an import's rows, or deletes the outcome of one that ended long ago (IMP-5). Each batch is taken once: its rows
 * are replaced by what became of them in the same transaction.
 * @throws {DomainError} not_found
 */
export async function continueImport(ctx: CommandContext, id: number): Promise<Readonly<Import>> {
  const row = await lockForChange(ctx.em, ImportEntity, { id });
  if (row === null) throw new DomainError('not_found');
  if (row.status === 'running') await takeBatch(ctx, row);
  else if (row.finishedAt !== null && row.dueAt !== null && keptUntil(row.finishedAt) <= ctx.now) {
    await ctx.db.deleteFrom('import_batches').where('importId', '=', id).execute();
    Object.assign(row, { status: 'expired', dueAt: null });
  }
  return row;
}

async function takeBatch(ctx: CommandContext, row: Locked<Import>): Promise<void> {
  const { id } = row;
  const batch = await ctx.db
    .selectFrom('import_batches')
    .select(['position', 'rows'])
    .where('importId', '=', id)
    .where('outcome', 'is', null)
    .orderBy('position')
    .limit(1)
    .executeTakeFirst();
  const entries = batch?.rows ?? [];
  if (batch !== undefined && entries.length > 0) {
    const by = { ...ctx, actor: actorOf(row), requestId: row.requestId, ip: row.requestIp };
    const outcome = await unlessStopped(() => requireStillAllowed(by).then(() => importRows(by, row, entries)));
    if (outcome === null) {
      await ctx.db.updateTable('import_batches').set({ rows: null }).where('importId', '=', id).execute();
      end(row, 'stopped', ctx.now);
      return;
    }
    await ctx.db
      .updateTable('import_batches')
      .set({ rows: null, outcome: json(outcome) })
      .where('importId', '=', id)
      .where('position', '=', batch.position)
      .execute();
  }
  row.doneCount += entries.length;
  if (row.doneCount >= row.rowCount) end(row, 'done', ctx.now);
}

function end(row: Locked<Import>, status: 'done' | 'stopped', now: Date): void {
  Object.assign(row, { status, finishedAt: now, dueAt: keptUntil(now) });
}

/** @returns null when the account may not go on: it was blocked, its key was revoked, or the event has another owner */
async function unlessStopped<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (isDomainError(error) && ['not_found', 'forbidden', 'unauthenticated'].includes(error.code)) return null;
    throw error;
  }
}

/** Returns who sent the file. */
function actorOf({ ownerId, actorId, apiKeyId }: Import): Actor {
  return {
    kind: 'user',
    userId: actorId,
    isAdministrator: false,
    impersonatedUserId: actorId === ownerId ? null : ownerId,
    ...(apiKeyId === null ? {} : { apiKeyId }),
  };
}
