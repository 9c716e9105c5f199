import { sql } from 'kysely';
import { DomainError } from '../../../errors.ts';
import { accountableUserId, type CommandContext, isActingAsAdministrator } from '../../../platform/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { type User, UserEntity } from '../entities.ts';

/**
 * Keeps the account of the acting administrator as it is until the transaction ends, and lets two such commands of one administrator take
 * turns. The turn is a lock of its own: every command of an administrator ends with a share lock on the account (`check-actor.ts`), which a
 * stronger lock here would deadlock with. Lock order: before all wallets.
 * @returns the administrator's user id
 * @throws {DomainError} forbidden
 */
export async function holdActingAdministrator({ db, actor }: CommandContext): Promise<number> {
  const id = isActingAsAdministrator(actor) ? accountableUserId(actor) : null;
  if (id === null) throw new DomainError('forbidden');
  const { role, status } = await db
    .selectFrom('users')
    .select(['role', 'status', sql`pg_advisory_xact_lock(hashtextextended('administrator:' || ${id}::text, 0))`.as('turn')])
    .where('id', '=', id)
    .forShare()
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
