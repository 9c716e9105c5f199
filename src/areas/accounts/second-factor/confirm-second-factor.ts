import type { Variables } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser, requireConfirmedAddress } from '../policy.ts';
import { hashRecoveryCode, makeRecoveryCodes, stepOfCode } from './codes.ts';
import { failed, lockSecondFactor, openSecret } from './second-factor.ts';

/**
 * Puts the waiting second factor into force with its first code (ACC-27). It replaces an earlier one with its recovery codes.
 * @returns the account and its recovery codes, of which only hashes are kept
 * @throws {DomainError} email_not_confirmed; invalid_state when none waits or its secret cannot be read; second_factor_failed for a wrong code
 */
export async function confirmSecondFactor(
  ctx: CommandContext,
  { config, userId, code }: { config: Variables; userId: number; code: string },
): Promise<{ user: Readonly<User>; recoveryCodes: string[] }> {
  const user = await lockUser(ctx, userId);
  requireConfirmedAddress(user);
  const factor = await lockSecondFactor(ctx, userId);
  if (!factor || factor.pendingSecret === null)
    throw new DomainError('invalid_state', undefined, 'No second factor waits to be confirmed; request one first.');
  const opened = openSecret(config, userId, factor.pendingSecret);
  if (opened === null) throw new DomainError('invalid_state', undefined, 'The secret cannot be read any more; request a new one.');
  const step = stepOfCode(opened.secret, code, new Date());
  if (step === null) throw failed(userId);
  const recoveryCodes = makeRecoveryCodes();
  await ctx.db
    .updateTable('second_factors')
    .set({
      secret: factor.pendingSecret,
      pendingSecret: null,
      confirmedAt: ctx.now,
      lastStep: step,
      recoveryCodeHashes: recoveryCodes.map(hashRecoveryCode),
    })
    .where('userId', '=', userId)
    .execute();
  user.secondFactor = true;
  user.updatedAt = ctx.now;
  await audit(ctx, 'second_factor.confirmed', { kind: 'user', id: userId });
  return { user, recoveryCodes };
}
