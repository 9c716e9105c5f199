import type { CommandContext } from '../platform/context.ts';
import { lockUser } from './lock-user.ts';
import { setPassword } from './set-password.ts';
import type { NewPassword, PasswordChange } from './set-password.ts';
import { startSession } from './start-session.ts';
import type { StartedSession } from './start-session.ts';

/** Changes the password of somebody signed in, whose present one was confirmed: all their sessions end, this browser gets a new one. */
export async function changePassword(
  ctx: CommandContext,
  { userId, ...wanted }: NewPassword & { userId: number },
): Promise<{ session: StartedSession; change: PasswordChange }> {
  const user = await lockUser(ctx, userId);
  const change = await setPassword(ctx, user, wanted);
  return { session: await startSession(ctx, { userId: user.id, former: null }), change };
}
