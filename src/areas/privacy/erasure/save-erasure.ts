import type { CommandContext } from '../../../platform/commands/context.ts';
import { startProcess } from '../../../platform/workflows/start-process.ts';
import type { AccountErasure } from '../entities.ts';
import { accountErasureProcess } from './process.ts';

/** Records the erasure of an account in place of a withdrawn one, and starts its process. The caller has locked the account. */
export async function saveErasure(
  ctx: CommandContext,
  id: number,
  begun: Pick<AccountErasure, 'status' | 'reason' | 'requestIp' | 'endsAt' | 'erasedAt'>,
): Promise<void> {
  const { db, now, requestId } = ctx;
  const row = { ...begun, requestId, requestedAt: now, remindedAt: null, blockedAt: null, purgedAt: null, dueAt: now };
  const erasure = await db
    .insertInto('account_erasures')
    .values({ id, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .returningAll()
    .executeTakeFirstOrThrow();
  await startProcess(ctx, accountErasureProcess, erasure);
}
