import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { type User, UserEntity } from '../entities.ts';

/**
 * Locks the acting administrator's account, checks that it still is an active administrator (ACC-12) and serializes the commands of one
 * administrator. The serialization uses its own lock: each command of an administrator ends with a share lock on the account
 * (`check-actor.ts`), and a stronger lock here would deadlock with it. Lock order: before all wallets.
 * @returns the administrator's user id
 * @throws {DomainError} forbidden
 */
export async function lockActingAdministrator({ db, actor }: CommandContext): Promise<number> {
  const id = isActingAsAdministrator(actor) ? accountableUserId(actor) : null;
  if (id === null) throw new DomainError('forbidden');
  const account = await db
    .selectFrom('users')
    .select(['role', 'status', sql`pg_advisory_xact_lock(hashtextextended('administrator:' || ${id}::text, 0))`.as('turn')])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirstOrThrow();
  if (!isActiveAdministrator(account)) throw new DomainError('forbidden');
  return id;
}

/**
 * Locks an administrator's account until the transaction ends. Otherwise a new session could outlive the end of all their sessions.
 * @throws {DomainError} forbidden, when they were blocked or are no administrator any more
 */
export async function lockAdministrator({ em }: CommandContext, id: number): Promise<Readonly<User>> {
  const user = await holdUnchanged(em, UserEntity, { id });
  if (user === null || !isActiveAdministrator(user)) throw new DomainError('forbidden');
  return user;
}

export function isActiveAdministrator({ role, status }: Pick<User, 'role' | 'status'>): boolean {
  return role === 'administrator' && status === 'active';
}
