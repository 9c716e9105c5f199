import type { Variables } from '../../../registry/config.ts';
import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import { holdUnchanged } from '../../../platform/database/lock.ts';
import { refusalOf } from '../../../platform/logging/security-log.ts';
import { audit } from '../../audit/index.ts';
import { type User, UserEntity } from '../entities.ts';
import { actAs } from '../sessions/act-as.ts';
import { endSessions, type StartedSession, startSession } from '../sessions/start-session.ts';
import { type Proof, useSecondFactor } from './second-factor.ts';

/**
 * Signs a browser in whose session waits for the second factor, with a new session in its place (ACC-3, ACC-28). Session and use of the
 * code are one transaction.
 * @param input.former id of the session that waits
 * @returns also the number of recovery codes left when one was used
 * @throws {DomainError} second_factor_failed; account_blocked; unauthenticated when the session ended meanwhile
 */
export async function completeLogin(
  ctx: CommandContext,
  { former, userId, ...given }: { config: Variables; userId: number; proof: Proof; former: string },
): Promise<{ user: Readonly<User>; session: StartedSession; recoveryCodesLeft: number | null }> {
  const user = await holdUnchanged(ctx.em, UserEntity, { id: userId });
  if (!user) throw new DomainError('unauthenticated');
  if (user.status === 'blocked') throw refusalOf('account_blocked', { kind: 'user', id: userId });
  const acting = actAs(ctx, user);
  const recoveryCodesLeft = await useSecondFactor(acting, { userId, ...given });
  const [half] = await endSessions(ctx, { id: former });
  if (!half) throw new DomainError('unauthenticated');
  const session = await startSession(ctx, { userId, former: null, userAgent: half.userAgent });
  await audit(acting, 'session.started', { kind: 'user', id: userId }, { session_id: session.id });
  return { user, session, recoveryCodesLeft };
}
