import type { CommandContext } from '../platform/context.ts';
import type { User } from './entities.ts';

/** The same command with the person as its actor, for steps in which somebody proves who they are: they began as an anonymous caller. */
export function actAs(ctx: CommandContext, user: Pick<User, 'id' | 'role'>): CommandContext {
  return {
    ...ctx,
    actor: { kind: 'user', userId: user.id, isAdministrator: user.role === 'administrator', impersonatedUserId: null },
  };
}
