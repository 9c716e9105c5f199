import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import { holdUnchanged } from '../platform/database/lock.ts';
import { UserEntity } from './entities.ts';
import type { User } from './entities.ts';

/**
 * Keeps an administrator's account as it is until the transaction ends: a session that is made for him would outlive the end of all his sessions.
 * @throws {DomainError} forbidden, when he was blocked or is no administrator any more
 */
export async function holdAdministrator({ em }: CommandContext, id: number): Promise<Readonly<User>> {
  const user = await holdUnchanged(em, UserEntity, { id });
  if (user?.role !== 'administrator' || user.status === 'blocked') throw new DomainError('forbidden');
  return user;
}
