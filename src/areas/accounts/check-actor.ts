import { DomainError } from '../../errors.ts';
import type { ActorCheck } from '../../platform/actor-checks.ts';
import { inList } from '../../platform/database/database.ts';

/**
 * Refuses what an administrator began whose account was blocked or demoted, or whose API key was revoked, since the request came in. Under
 * impersonation the account acted in must still be open to it too. Holds the accounts until the commit, so a block waits for the command or the
 * command for the block. One statement; what other people and processes do costs none.
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
