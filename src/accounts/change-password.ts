import { LockMode } from '@mikro-orm/core';
import type { CommandContext } from '../platform/context.ts';
import { UserEntity } from './entities.ts';
import { setPassword } from './set-password.ts';
import { startSession } from './start-session.ts';
import type { StartedSession } from './start-session.ts';

/** Changes the password of somebody signed in, whose present one was confirmed: all their sessions end, this browser gets a new one. */
export async function changePassword(ctx: CommandContext, input: { userId: number; passwordHash: string }): Promise<StartedSession> {
  const user = await ctx.em.findOneOrFail(UserEntity, { id: input.userId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  await setPassword(ctx, user, input.passwordHash);
  return startSession(ctx, { userId: user.id, former: null });
}
