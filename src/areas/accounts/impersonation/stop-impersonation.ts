import type { CommandContext } from '../../../platform/commands/context.ts';
import type { User } from '../entities.ts';
import { lockAdministrator } from '../policy.ts';
import { inOwnName, renewSession, type StartedSession } from '../sessions/start-session.ts';

/**
 * Returns a session to its administrator, with a new id and CSRF token (ACC-3). The audit row of the end names the former session id.
 * @param input.former id of the session
 * @throws {DomainError} forbidden or unauthenticated, when the administrator lost the role or the session meanwhile
 */
export async function stopImpersonation(
  ctx: CommandContext,
  input: { administratorId: number; former: string },
): Promise<{ session: StartedSession; administrator: Readonly<User> }> {
  const administrator = await lockAdministrator(ctx, input.administratorId);
  return { session: await renewSession(ctx, input.former, inOwnName), administrator };
}
