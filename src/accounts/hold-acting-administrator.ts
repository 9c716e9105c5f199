import { DomainError } from '../errors.ts';
import { accountableUserId, isActingAsAdministrator } from '../platform/context.ts';
import type { CommandContext } from '../platform/context.ts';

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
