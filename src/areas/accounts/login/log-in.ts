import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { databaseOf } from '../../../platform/database/database.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import type { Platform } from '../../../platform/platform.ts';
import { refusalOf, type SecuritySubject } from '../../../platform/logging/security-log.ts';
import { audit } from '../../audit/index.ts';
import { countAttempt, isKnownAddress, loginsFrom, loginsFromWide, loginsInto, loginsOfPair, rememberSignIn } from '../attempt-limits.ts';
import { type User, UserEntity } from '../entities.ts';
import { type HashedFor, dummyHash, verifyPassword } from '../password-hash.ts';
import { actAs } from '../sessions/act-as.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';

/** An account whose e-mail and password were checked; `passwordHash` is the hash that was checked. */
interface Proven extends Pick<User, 'id' | 'passwordHash'> {
  /** Whether the holder must learn of the network: not of the first login, and once for each network in 30 days (ACC-25). */
  isFromNewNetwork: boolean;
}

/**
 * Checks e-mail and password. Takes the same time and gives the same answer for an unknown e-mail and a wrong password (ACC-2).
 * @param input.email in lower case
 * @throws {DomainError} rate_limited (see `countLogin`), invalid_credentials
 */
export async function checkCredentials(platform: Platform, input: { email: string; password: string } & HashedFor): Promise<Proven> {
  const isKnown = await countLogin(platform, input);
  const user = await databaseOf(platform.orm.em.fork())
    .selectFrom('users')
    .select(['id', 'passwordHash', 'secondFactor'])
    .where('email', '=', input.email)
    .executeTakeFirst();
  const isRight = await verifyPassword(input.password, user?.passwordHash ?? dummyHash, {
    ...input,
    ...(isKnown ? { knownAs: input.email } : {}),
  });
  if (!user) throw new DomainError('invalid_credentials');
  if (!isRight) throw refusalOf('invalid_credentials', { kind: 'user', id: user.id });
  // With a second factor the login is not whole yet.
  return { ...user, isFromNewNetwork: !user.secondFactor && (await rememberSignIn(platform, input.email, input.ip)) };
}

/**
 * Counts a login by address, by wider network, by address and account, and by account (ACC-15). Guessing is slow from one address and
 * from many.
 *
 * An attacker could use the limits by account and by network to lock the holder out. So these limits skip addresses from which the
 * holder signed in, and one address takes at most a third of the account's limit. The first refusal of each limit in its window is a
 * security event of the account.
 * @returns whether the holder signed in from this address in the last 30 days
 * @throws {DomainError} rate_limited
 */
async function countLogin(platform: Platform, { email, ip }: { email: string; ip: string | null }): Promise<boolean> {
  const { config } = platform;
  const target = () => findTarget(platform, email);
  // Address and network first: a login that they refuse leaves no counter for its e-mail.
  await countAttempt(platform, loginsFrom(config, ip), target);
  const isKnown = await isKnownAddress(platform, email, ip);
  if (!isKnown) await countAttempt(platform, loginsFromWide(config, ip), target);
  const ofPair = await countAttempt(platform, loginsOfPair(config, email, ip), target);
  const share = Math.max(1, Math.floor(config.RATE_LIMIT_LOGINS_PER_15_MINUTES / 3));
  if (ofPair <= share && !isKnown) await countAttempt(platform, loginsInto(config, email), target);
  return isKnown;
}

async function findTarget(platform: Platform, email: string): Promise<SecuritySubject> {
  const user = await databaseOf(platform.orm.em.fork()).selectFrom('users').select('id').where('email', '=', email).executeTakeFirst();
  return user ? { kind: 'user', id: user.id } : { kind: 'route', id: 'logIn' };
}

/**
 * Signs a browser in with a new session in place of the former one (ACC-3). Where the account has a second factor, the session waits for
 * its code (ACC-28).
 * @throws {DomainError} account_blocked; invalid_credentials when the password was changed since it was checked
 */
export async function logIn(
  ctx: CommandContext,
  input: { proven: Pick<Proven, 'id' | 'passwordHash'>; former: string; userAgent: string | null },
): Promise<{ user: Readonly<User>; session: StartedSession }> {
  // Locked: otherwise a session begun with the old password could outlive a password change, which ends all sessions.
  const user = await holdUnchanged(ctx.em, UserEntity, { id: input.proven.id });
  if (!user || user.passwordHash !== input.proven.passwordHash) throw new DomainError('invalid_credentials');
  if (user.status === 'blocked') throw refusalOf('account_blocked', { kind: 'user', id: user.id });
  const { former, userAgent } = input;
  const session = await startSession(ctx, { userId: user.id, former, userAgent, waitsForSecondFactor: user.secondFactor });
  const action = user.secondFactor ? 'session.second_factor_awaited' : 'session.started';
  await audit(actAs(ctx, user), action, { kind: 'user', id: user.id }, { session_id: session.id });
  return { user, session };
}
