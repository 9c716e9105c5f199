import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import type { ActorCheck } from '../../platform/commands/command.ts';
import { accountableUserId, type Actor, type CommandContext, isActingAsAdministrator } from '../../platform/commands/context.ts';
import { type Database, inList } from '../../platform/database/database.ts';
import { holdUnchanged, type Locked, lockForChange } from '../../platform/database/lock.ts';
import { type User, UserEntity } from './entities.ts';

/**
 * Locks the acting administrator's account, checks that it still is an active administrator (ACC-12) and serializes the commands of one
 * administrator. The serialization uses its own lock: each command of an administrator ends with a share lock on the account
 * (`checkActor`), and a stronger lock here would deadlock with it. Lock order: before all wallets.
 * @returns the administrator's user id
 * @throws {DomainError} forbidden
 */
export async function lockActingAdministrator({ db, actor }: CommandContext): Promise<number> {
  const id = isActingAsAdministrator(actor) ? accountableUserId(actor) : null;
  if (id === null) throw new DomainError('forbidden');
  const account = await db
    .selectFrom('users')
    .select(['role', 'status', sql`pg_advisory_xact_lock(hashtextextended('administrator:' || ${id}::text, 0))`.as('turn')])
    .where('id', '=', id)
    .forShare()
    .executeTakeFirstOrThrow();
  if (!isActiveAdministrator(account)) throw new DomainError('forbidden');
  return id;
}

/**
 * Locks an administrator's account until the transaction ends. Otherwise a new session could outlive the end of all their sessions.
 * @throws {DomainError} forbidden, when they were blocked or are no administrator any more
 */
export async function lockAdministrator({ em }: CommandContext, id: number): Promise<Readonly<User>> {
  const user = await holdUnchanged(em, UserEntity, { id });
  if (user === null || !isActiveAdministrator(user)) throw new DomainError('forbidden');
  return user;
}

export function isActiveAdministrator({ role, status }: Pick<User, 'role' | 'status'>): boolean {
  return role === 'administrator' && status === 'active';
}

/** Locks an account that must exist: accounts are blocked, never deleted. @throws {Error} when it does not exist */
export async function lockUser(ctx: CommandContext, id: number): Promise<Locked<User>> {
  const user = await lockForChange(ctx.em, UserEntity, { id });
  if (!user) throw new Error(`user ${id} is gone`);
  return user;
}

/**
 * Refuses what would lock the real holder of an address out of an account that another registered with it (ACC-34).
 * @throws {DomainError} email_not_confirmed
 */
export function requireConfirmedAddress({ emailConfirmed }: Pick<User, 'emailConfirmed'>): void {
  if (!emailConfirmed) throw new DomainError('email_not_confirmed');
}

/**
 * Refuses a command whose actor has lost the rights or the session of the request since it came in.
 * @throws {DomainError} forbidden, unauthenticated
 */
export const checkActor: ActorCheck = async ({ actor, db }) => {
  if (actor.kind !== 'user') return;
  await requireRights(db, actor);
  if (actor.sessionId !== undefined) await requireBoundSession(db, actor.sessionId);
};

/**
 * Refuses work that goes on after its request, once the account was blocked or erased, or its API key was revoked or has expired. Locks the
 * account until the commit, so that a block waits for the work or the work for the block.
 * @throws {DomainError} forbidden, unauthenticated
 */
export async function requireStillAllowed({ actor, db, now }: Pick<CommandContext, 'actor' | 'db' | 'now'>): Promise<void> {
  if (actor.kind !== 'user') return;
  await requireRights(db, actor);
  const { impersonatedUserId: impersonated, userId, apiKeyId } = actor;
  const id = impersonated ?? userId;
  const account = await db.selectFrom('users').select('status').where('id', '=', id).forShare().executeTakeFirst();
  if (account?.status !== 'active') throw new DomainError('forbidden');
  if (apiKeyId === undefined) return;
  const keys = db.selectFrom('api_keys').select('id').where('id', '=', apiKeyId).where('revokedAt', 'is', null);
  if ((await keys.where('expiresAt', '>', now).executeTakeFirst()) === undefined) throw new DomainError('unauthenticated');
}

/**
 * Refuses what would write into the records of an erased account (PRV-5). Locks the account against its erasure until the commit; other
 * commands of the account go on. Costs one statement.
 * @throws {DomainError} not_found; `invalid_state` for an erased account
 */
export async function requireNotErased({ db }: CommandContext, userId: number): Promise<void> {
  const user = await holdAgainstErasure(db, userId);
  if (user === undefined) throw new DomainError('not_found');
  if (user.erasedAt !== null) throw new DomainError('invalid_state', { status: 'erased', allowed: [] }, 'The account was erased.');
}

function holdAgainstErasure(db: Database, userId: number): Promise<Pick<User, 'erasedAt'> | undefined> {
  return db.selectFrom('users').select('erasedAt').where('id', '=', userId).forKeyShare().executeTakeFirst();
}

/**
 * Refuses a command that is bound to a session which has ended (`bindToSession`). Locks the session until the commit, so that a new
 * password waits for the command and then ends what it created (ACC-18). Skips the lock of a session that is being ended instead of
 * waiting for it: a new password that holds it may itself wait for a row of this command. Costs one statement.
 * @throws {DomainError} unauthenticated
 */
async function requireBoundSession(db: Database, id: string): Promise<void> {
  const session = await db.selectFrom('sessions').select('id').where('id', '=', id).forKeyShare().skipLocked().executeTakeFirst();
  if (!session) throw new DomainError('unauthenticated');
}

/**
 * Refuses an administrator's command when the account was blocked or demoted, or its API key revoked, since the request came in
 * (ACC-12). Under impersonation, the impersonated account must still be an active user's.
 *
 * Locks the accounts until the commit, so that a block waits for the command or the command for the block. Costs one statement.
 * @throws {DomainError} forbidden; unauthenticated for an erased account
 */
async function requireRights(db: Database, actor: Extract<Actor, { kind: 'user' }>): Promise<void> {
  const { userId, isAdministrator, impersonatedUserId, apiKeyId = null } = actor;
  if (!isAdministrator && impersonatedUserId === null) {
    // A command of an account that was erased since the request came in.
    if ((await holdAgainstErasure(db, userId))?.erasedAt !== null) throw new DomainError('unauthenticated');
    return;
  }
  const ids = impersonatedUserId === null ? [userId] : [userId, impersonatedUserId];
  const accounts = await db
    .selectFrom('users as u')
    .select(['u.id', 'u.role', 'u.status'])
    .where('u.id', '=', inList(ids))
    .$if(apiKeyId !== null, (found) =>
      found.where(({ exists, selectFrom }) =>
        exists(selectFrom('api_keys').select('id').where('id', '=', apiKeyId).where('revokedAt', 'is', null)),
      ),
    )
    .orderBy('u.id')
    .forShare('u')
    .execute();
  const isInForce = ids.every((id) =>
    accounts.some(
      (account) => account.id === id && account.status === 'active' && account.role === (id === userId ? 'administrator' : 'user'),
    ),
  );
  if (!isInForce) throw new DomainError('forbidden');
}
