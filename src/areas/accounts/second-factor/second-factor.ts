import type { Variables } from '../../../registry/config.ts';
import { DomainError, isDomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import {
  encryptSecret,
  findSecret,
  type OpenedSecret,
  type RenewedSecret,
  renewSecret,
  requireEncryptionKey,
} from '../../../platform/secrets/encryption.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refusalOf } from '../../../platform/logging/security-log.ts';
import { audit } from '../../audit/index.ts';
import { countAttempt, refundAttempt, resetAttempts, secondFactorsOf } from '../attempt-limits.ts';
import type { SecondFactor } from '../entities.ts';
import { hashRecoveryCode, stepOfCode } from './codes.ts';

/** What proves the second factor: six digits of the application, or a recovery code. */
export type Proof = { code: string } | { recoveryCode: string };

const placeOf = (userId: number) => ({ purpose: 'second factors', record: `user/${userId}` });

/** Encrypts the secret of an account's second factor. @throws {DomainError} service_unavailable without `ENCRYPTION_KEY` */
export function sealSecret(config: Variables, userId: number, secret: string): string {
  return encryptSecret(requireEncryptionKey(config), secret, placeOf(userId));
}

/** Decrypts the secret of an account's second factor. @returns null when no key of `ENCRYPTION_KEY` decrypts it */
export function openSecret(config: Variables, userId: number, stored: string): OpenedSecret | null {
  return config.ENCRYPTION_KEY === undefined ? null : findSecret(config.ENCRYPTION_KEY, stored, placeOf(userId));
}

/** Encrypts the secret anew, see `renewSecret`. */
export function renew(keys: string, userId: number, stored: string): RenewedSecret {
  return renewSecret(keys, stored, placeOf(userId));
}

/** Locks the second factor of an account; undefined when none was ever requested. */
export function lockSecondFactor({ db }: CommandContext, userId: number): Promise<SecondFactor | undefined> {
  return db.selectFrom('second_factors').selectAll().where('userId', '=', userId).forUpdate().executeTakeFirst();
}

/**
 * Uses a code or a recovery code once (ACC-28, ACC-29). The lock on the row decides between concurrent uses. Codes follow real time,
 * because the person's telephone does.
 * @returns the number of recovery codes left when one was used; null for a code
 * @throws {DomainError} second_factor_failed for a wrong, used or old code; second_factor_unavailable for a code whose secret cannot be
 *   read; invalid_state without a second factor
 */
export async function useSecondFactor(
  ctx: CommandContext,
  { config, userId, proof }: { config: Variables; userId: number; proof: Proof },
): Promise<number | null> {
  const factor = await lockSecondFactor(ctx, userId);
  if (!factor || factor.secret === null) throw new DomainError('invalid_state', undefined, 'The account has no second factor.');
  const own = ctx.db.updateTable('second_factors').where('userId', '=', userId);
  if ('code' in proof) {
    const opened = openSecret(config, userId, factor.secret);
    if (opened === null) throw new DomainError('second_factor_unavailable');
    const { secret, isCurrent } = opened;
    const step = stepOfCode(secret, proof.code, new Date());
    if (step === null || step <= factor.lastStep) throw failed(userId);
    // A rotated key takes over with the first use; `npm run registry -- secrets` does so for the others.
    await own.set({ lastStep: step, ...(isCurrent ? {} : { secret: sealSecret(config, userId, secret) }) }).execute();
    return null;
  }
  const used = hashRecoveryCode(proof.recoveryCode);
  if (!factor.recoveryCodeHashes.includes(used)) throw failed(userId);
  const left = factor.recoveryCodeHashes.filter((hash) => hash !== used);
  await own.set({ recoveryCodeHashes: left }).execute();
  await audit(ctx, 'second_factor.recovery_code_used', { kind: 'user', id: userId }, { left: left.length });
  return left.length;
}

/**
 * Counts a try of an account's codes, before the transaction that checks the code, so that a refused one counts too (ACC-28). A right
 * code forgets the tries.
 * @throws {DomainError} rate_limited, and what `check` throws
 */
export async function countingTry<Result>(platform: Pick<Platform, 'orm'>, userId: number, check: () => Promise<Result>): Promise<Result> {
  const attempts = secondFactorsOf(userId);
  await countAttempt(platform, attempts, async () => ({ kind: 'user', id: userId }));
  try {
    const result = await check();
    await resetAttempts(platform, attempts.key);
    return result;
  } catch (error) {
    // No guess: the recovery codes must stay open.
    if (isDomainError(error) && error.code === 'second_factor_unavailable') await refundAttempt(platform, attempts.key);
    throw error;
  }
}

/** A refused code, a security event of its account. */
export function failed(userId: number): DomainError {
  return refusalOf('second_factor_failed', { kind: 'user', id: userId });
}
