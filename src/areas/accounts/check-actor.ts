import { DomainError } from '../../errors.ts';
import type { ActorCheck } from '../../platform/actor-checks.ts';
import { inList } from '../../platform/database/database.ts';

/**
 * Refuses an administrator's command when the account was blocked or demoted, or its API key revoked, since the request came in
 * (ACC-12). Under impersonation, the impersonated account must still be an active user's.
 *
 * Locks the accounts until the commit, so that a block waits for the command or the command for the block. Costs one statement,
 * and none for owners and processes.
 * @throws {DomainError} forbidden
 */
export const checkActor: ActorCheck = async ({ actor, db }) => {
  if (actor.kind !== 'user') return;
  const { userId, isAdministrator, impersonatedUserId, apiKeyId = null } = actor;
  if (!isAdministrator && impersonatedUserId === null) return;
  const ids = impersonatedUserId === null ? [userId] : [userId, impersonatedUserId];
  const accounts = await db
    .selectFrom('users as u')
    .select(['u.id', 'u.role', 'u.status'])
    .where('u.id', '=', inList(ids))
    .$if(apiKeyId !== null, (found) =>
      found.where(({ exists, selectFrom }) =>
        exists(selectFrom('api_keys').select('id').where('id', '=', apiKeyId).where('revokedAt', 'is', null)),
      ),
    )
    .orderBy('u.id')
    .forShare('u')
    .execute();
  const isInForce = ids.every((id) =>
    accounts.some(
      (account) => account.id === id && account.status === 'active' && account.role === (id === userId ? 'administrator' : 'user'),
    ),
  );
  if (!isInForce) throw new DomainError('forbidden');
};
