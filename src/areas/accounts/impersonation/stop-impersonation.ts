import type { CommandContext } from '../../../platform/context.ts';
import type { User } from '../entities.ts';
import { inOwnName, renewSession, type StartedSession } from '../sessions/start-session.ts';
import { holdAdministrator } from './hold-administrator.ts';

/**
 * Gives an administrator's session back to him, by a new id and a new CSRF token (service.md "Administration"); the audit tells the end of the
 * impersonation with that of the former id.
 * @param input.former id of the session
 * @throws {DomainError} forbidden and unauthenticated, when the administrator lost his role or his session meanwhile
 */
export async function stopImpersonation(
  ctx: CommandContext,
  input: { administratorId: number; former: string },
): Promise<{ session: StartedSession; administrator: Readonly<User> }> {
  const administrator = await holdAdministrator(ctx, input.administratorId);
  return { session: await renewSession(ctx, input.former, inOwnName), administrator };
}
