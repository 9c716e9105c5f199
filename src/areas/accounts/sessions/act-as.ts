import type { CommandContext } from '../../../platform/context.ts';
import type { User } from '../entities.ts';

/** The same command with the person as its actor, for steps in which somebody proves who they are: they began as an anonymous caller. */
export function actAs(ctx: CommandContext, user: Pick<User, 'id' | 'role'>): CommandContext {
  return {
    ...ctx,
    actor: { kind: 'user', userId: user.id, isAdministrator: user.role === 'administrator', impersonatedUserId: null },
  };
}

/** The same command with an administrator as its actor who acts in somebody's account: as which the audit tells of it, its beginning and its end. */
export function actInAccount(ctx: CommandContext, by: { administratorId: number; userId: number }): CommandContext {
  return {
    ...ctx,
    actor: { kind: 'user', userId: by.administratorId, isAdministrator: false, impersonatedUserId: by.userId },
  };
}
