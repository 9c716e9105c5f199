import type { CommandContext } from '../../../platform/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type User, UserEntity } from '../entities.ts';

/** Locks an account that must exist: accounts are blocked, never deleted. @throws {Error} when it does not exist */
export async function lockUser(ctx: CommandContext, id: number): Promise<Locked<User>> {
  const user = await lockForChange(ctx.em, UserEntity, { id });
  if (!user) throw new Error(`user ${id} is gone`);
  return user;
}
