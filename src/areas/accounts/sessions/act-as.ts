import type { CommandContext } from '../../../platform/commands/context.ts';
import type { User } from '../entities.ts';

/** Returns the command's context with the user as its actor, for commands in which an anonymous caller proves who they are. */
export function actAs(ctx: CommandContext, user: Pick<User, 'id' | 'role'>): CommandContext {
  return {
    ...ctx,
    actor: { kind: 'user', userId: user.id, isAdministrator: user.role === 'administrator', impersonatedUserId: null },
  };
}

/** Returns the command's context with an impersonating administrator as its actor, for audit rows that name both (ACC-14). */
export function actInAccount(ctx: CommandContext, by: { administratorId: number; userId: number }): CommandContext {
  return {
    ...ctx,
    actor: { kind: 'user', userId: by.administratorId, isAdministrator: false, impersonatedUserId: by.userId },
  };
}
