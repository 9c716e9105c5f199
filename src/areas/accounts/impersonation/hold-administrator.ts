import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { type User, UserEntity } from '../entities.ts';

/**
 * Keeps the administrator who acts one until the transaction ends: whoever was demoted or blocked since the request came in does nothing
 * more. Of two such commands of one administrator the later waits for the earlier. Lock order: before all wallets.
 * @returns the administrator's user id
 * @throws {DomainError} forbidden
 */
export async function holdActingAdministrator({ db, actor }: CommandContext): Promise<number> {
  const id = isActingAsAdministrator(actor) ? accountableUserId(actor) : null;
  if (id === null) throw new DomainError('forbidden');
  const { role, status } = await db
    .selectFrom('users')
    .select(['role', 'status'])
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
  if (role !== 'administrator' || status !== 'active') throw new DomainError('forbidden');
  return id;
}

/**
 * Keeps an administrator's account as it is until the transaction ends: a session that is made for him would outlive the end of all his sessions.
 * @throws {DomainError} forbidden, when he was blocked or is no administrator any more
 */
export async function holdAdministrator({ em }: CommandContext, id: number): Promise<Readonly<User>> {
  const user = await holdUnchanged(em, UserEntity, { id });
  if (user?.role !== 'administrator' || user.status === 'blocked') throw new DomainError('forbidden');
  return user;
}
