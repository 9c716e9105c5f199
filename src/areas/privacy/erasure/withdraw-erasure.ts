import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { lockForChange } from '../../../platform/database/lock.ts';
import { refOf } from '../../../platform/workflows/define-process.ts';
import { lockUser } from '../../accounts/index.ts';
import { audit } from '../../audit/index.ts';
import { notify } from '../../notifications/index.ts';
import { AccountErasureEntity } from '../entities.ts';
import { privacyNotifications } from '../notifications.ts';
import { accountErasureProcess } from './process.ts';
import { findErasure } from './queries.ts';

/**
 * Withdraws the erasure of an account, until the instant at which it is due (PRV-4). The owner is notified.
 * @throws {DomainError} not_found without a request; invalid_state when it was withdrawn, is due or carried out
 */
export async function withdrawErasure(ctx: CommandContext, userId: number): Promise<void> {
  if ((await findErasure(ctx.db, userId)) === null) throw new DomainError('not_found');
  // In the lock order of the erasure.
  await lockUser(ctx, userId);
  const erasure = await lockForChange(ctx.em, AccountErasureEntity, { id: userId });
  if (erasure === null) throw new DomainError('not_found');
  const { status, endsAt } = erasure;
  if (status !== 'waiting' || endsAt <= ctx.now) throw new DomainError('invalid_state', { status, allowed: [] });
  erasure.status = 'withdrawn';
  erasure.dueAt = null;
  const subject = { kind: 'account_erasure', id: userId };
  await audit(ctx, 'account_erasure.withdrawn', subject);
  await notify(ctx, userId, privacyNotifications['account_erasure.withdrawn'], subject);
  ctx.wake(refOf(accountErasureProcess, userId));
}
