import { DomainError } from '../../../errors.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import type { Platform } from '../../../platform/platform.ts';
import { confirmationsFrom, confirmationsOf, countAttempt, resetAttempts, refundAttempt } from '../attempt-limits.ts';
import { type HashedFor, dummyHash, verifyPassword } from './password-hash.ts';

/**
 * Confirms by password that the person acts, not another at their unlocked browser (ACC-9). Call it before the command's transaction,
 * which must not wait for the hashing. Counts wrong passwords by account and by address, so that a stolen session cannot guess (ACC-15).
 * @throws {DomainError} password_confirmation_failed, rate_limited
 */
export async function requirePassword(
  platform: Pick<Platform, 'orm' | 'config'>,
  userId: number,
  password: string,
  asker: HashedFor,
): Promise<void> {
  const ofAccount = confirmationsOf(platform.config, userId);
  const ofAddress = confirmationsFrom(platform.config, asker.ip);
  await countAttempt(platform, ofAccount);
  await countAttempt(platform, ofAddress);
  const db = databaseOf(platform.orm.em.fork());
  const user = await db.selectFrom('users').select('passwordHash').where('id', '=', userId).executeTakeFirst();
  const isRight = await verifyPassword(password, user?.passwordHash ?? dummyHash, { ...asker, knownAs: String(userId) });
  if (!isRight) throw new DomainError('password_confirmation_failed');
  await resetAttempts(platform, ofAccount.key);
  await refundAttempt(platform, ofAddress.key);
}
