import type { CommandContext } from '../../../platform/context.ts';
import { type Locked, lockForChange } from '../../../platform/database/lock.ts';
import { type User, UserEntity } from '../entities.ts';

/** Holds the account of somebody who is known to have one: accounts are blocked, never deleted. @throws {Error} when there is none */
export async function lockUser(ctx: CommandContext, id: number): Promise<Locked<User>> {
  const user = await lockForChange(ctx.em, UserEntity, { id });
  if (!user) throw new Error(`user ${id} is gone`);
  return user;
}
