import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { endImpersonationsOf } from '../sessions/end-impersonations.ts';
import { endSessions } from '../sessions/start-session.ts';

/**
 * Blocks an account for good, whose person is taken out of the records (PRV-5). It stays as a number, without a sign-in: its sessions end,
 * and no command of the account commits afterwards. Idempotent.
 */
export async function closeAccount(ctx: CommandContext, { id, erasedAt }: Locked<User>): Promise<void> {
  if (erasedAt !== null) return;
  const { db, now } = ctx;
  await db
    .updateTable('users')
    .set({ status: 'blocked', emailConfirmed: false, secondFactor: false, erasedAt: now, updatedAt: now })
    .where('id', '=', id)
    .execute();
  // Before the sessions end: a session that impersonates this account belongs to its administrator and stays.
  await endImpersonationsOf(ctx, id);
  await endSessions(ctx, { userId: id });
  await audit(ctx, 'account.erased', { kind: 'user', id });
}
