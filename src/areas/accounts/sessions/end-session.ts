import { DomainError } from '../../../errors.ts';
import type { CommandContext } from '../../../platform/commands/context.ts';
import type { Locked } from '../../../platform/database/lock.ts';
import { audit } from '../../audit/index.ts';
import type { User } from '../entities.ts';
import { lockUser } from '../policy.ts';
import { sessionsInForce } from './sessions-in-force.ts';
import { endSessions } from './start-session.ts';

/** A session that ends others of its account. */
interface Ending {
  userId: number;
  /** The session of the request. */
  currentId: string;
}

/**
 * Ends one session of the account (ACC-26), which may be the current one.
 * @throws {DomainError} not_found, also for another account's or an expired session; unauthenticated, see `lockSessions`
 */
export async function endSession(ctx: CommandContext, { id, ...of }: Ending & { id: string }): Promise<void> {
  await lockSessions(ctx, of);
  if (!(await isInForce(ctx, id, of.userId))) throw new DomainError('not_found');
  await endSessions(ctx, { id });
  await audit(ctx, 'session.ended', { kind: 'user', id: of.userId }, { session_id: id });
}

/**
 * Locks the account, so that its sessions end each other one after the other.
 * @returns the account
 * @throws {DomainError} unauthenticated, when another request ended the current session meanwhile
 */
export async function lockSessions(ctx: CommandContext, { userId, currentId }: Ending): Promise<Locked<User>> {
  const user = await lockUser(ctx, userId);
  if (!(await isInForce(ctx, currentId, userId))) throw new DomainError('unauthenticated');
  return user;
}

async function isInForce({ db }: CommandContext, id: string, userId: number): Promise<boolean> {
  const own = sessionsInForce(db, new Date())
    .select('s.id')
    .where('s.id', '=', id)
    .where('s.userId', '=', userId)
    .where('s.waitsForSecondFactor', '=', false);
  return (await own.executeTakeFirst()) !== undefined;
}
