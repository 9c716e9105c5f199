import type { EntityManager } from '@mikro-orm/postgresql';
import { DomainError } from '../errors.ts';
import type { Platform } from '../platform/platform.ts';
import { countAttempt, forgetAttempts } from './count-attempt.ts';
import { UserEntity } from './entities.ts';
import { hashOfNobody, verifyPassword } from './password-hash.ts';

/** Whether this is the password of the account. */
export async function verifyPasswordOf(em: EntityManager, userId: number, password: string): Promise<boolean> {
  const user = await em.findOne(UserEntity, { id: userId }, { fields: ['passwordHash'] });
  return verifyPassword(password, user?.passwordHash ?? hashOfNobody);
}

/**
 * Confirms by password that it is the person who acts and not their unlocked browser (service.md "Authentication" 6). Asked
 * before the command's transaction, which must not wait for the hashing. Wrong ones are counted: a stolen session must not
 * become a way to guess.
 * @throws {DomainError} password_confirmation_failed, rate_limited
 */
export async function requirePassword(platform: Pick<Platform, 'orm' | 'config'>, userId: number, password: string): Promise<void> {
  const key = `password:${userId}`;
  await countAttempt(platform, { key, limit: platform.config.RATE_LIMIT_LOGINS_PER_15_MINUTES, windowSeconds: 15 * 60 });
  if (!(await verifyPasswordOf(platform.orm.em.fork(), userId, password))) throw new DomainError('password_confirmation_failed');
  await forgetAttempts(platform, key);
}
