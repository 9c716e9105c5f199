import type { Variables } from '../../../config.ts';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/context.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from '../policy.ts';
import { hashRecoveryCode, makeRecoveryCodes, stepOfCode } from './codes.ts';
import { failed, lockSecondFactor, openSecret } from './second-factor.ts';

/**
 * Puts the waiting second factor into force with its first code (ACC-27). It replaces an earlier one with its recovery codes.
 * @returns the account and its recovery codes, of which only hashes are kept
 * @throws {DomainError} invalid_state when none waits; second_factor_failed for a wrong code
 */
export async function confirmSecondFactor(
  ctx: CommandContext,
  { config, userId, code }: { config: Variables; userId: number; code: string },
): Promise<{ user: Readonly<User>; recoveryCodes: string[] }> {
  const user = await lockUser(ctx, userId);
  const factor = await lockSecondFactor(ctx, userId);
  if (!factor || factor.pendingSecret === null)
    throw new DomainError('invalid_state', undefined, 'No second factor waits to be confirmed; request one first.');
  const step = stepOfCode(openSecret(config, userId, factor.pendingSecret).secret, code, new Date());
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
