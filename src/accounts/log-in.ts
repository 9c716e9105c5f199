import { LockMode } from '@mikro-orm/core';
import { audit } from '../administration/audit.ts';
import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';
import type { Platform } from '../platform/platform.ts';
import { actAs } from './act-as.ts';
import { countAttempt } from './count-attempt.ts';
import { UserEntity } from './entities.ts';
import type { User } from './entities.ts';
import { hashOfNobody, verifyPassword } from './password-hash.ts';
import { hashToken } from './secret-tokens.ts';
import { startSession } from './start-session.ts';
import type { StartedSession } from './start-session.ts';

/** Somebody who showed the right e-mail and password; `passwordHash` is the one that was checked. */
export type Proven = Pick<User, 'id' | 'passwordHash'>;

/**
 * Checks e-mail and password. Costs the same time and gives the same answer for an unknown e-mail and a wrong password.
 * @param input.email in lower case
 * @throws {DomainError} rate_limited (10 in 15 minutes for each address and account), invalid_credentials
 */
export async function checkCredentials(platform: Platform, input: { email: string; password: string; ip: string | null }): Promise<Proven> {
  await countAttempt(platform, {
    key: `login:${input.ip ?? ''}:${hashToken(input.email)}`,
    limit: platform.config.RATE_LIMIT_LOGINS_PER_15_MINUTES,
    windowSeconds: 15 * 60,
  });
  const user = await platform.orm.em.fork().findOne(UserEntity, { email: input.email }, { fields: ['id', 'passwordHash'] });
  const isRight = await verifyPassword(input.password, user?.passwordHash ?? hashOfNobody);
  if (!user || !isRight) throw new DomainError('invalid_credentials');
  return { id: user.id, passwordHash: user.passwordHash };
}

/**
 * Signs a browser in, with a session of its own in the place of the former (decisions.md §2).
 * @throws {DomainError} account_blocked; invalid_credentials when the password was changed since it was checked
 */
export async function logIn(
  ctx: CommandContext,
  input: { proven: Proven; former: string },
): Promise<{ user: User; session: StartedSession }> {
  // Under the row's lock: a session begun with the old password would outlive the end of all sessions that a new one brings.
  const user = await ctx.em.findOne(UserEntity, { id: input.proven.id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!user || user.passwordHash !== input.proven.passwordHash) throw new DomainError('invalid_credentials');
  if (user.status === 'blocked') throw new DomainError('account_blocked');
  const session = await startSession(ctx, { userId: user.id, former: input.former });
  audit(actAs(ctx, user), 'session.started', { kind: 'user', id: user.id }, { session_id: session.id });
  return { user, session };
}
