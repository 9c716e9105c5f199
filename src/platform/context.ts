import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from './database/database.ts';
import type { Extensions } from './extensions.ts';
import type { IdempotentRequest } from './idempotent-request.ts';
import type { ProcessRef } from './process-ref.ts';
import type { ProcessStart } from './process-start.ts';

/**
 * The actor of a command. `isAdministrator`: acts with administrator rights; a key needs `admin:write` for it. `impersonatedUserId`: an
 * administrator (`userId`) acts as this account, without own rights; the audit names both. `apiKeyId`: the key of the request; absent for a
 * browser.
 */
export type Actor =
  | { kind: 'user'; userId: number; isAdministrator: boolean; impersonatedUserId: number | null; apiKeyId?: number }
  | { kind: 'anonymous' }
  /** A process acts by itself (a timer, the bank's response, the sweeper). */
  | { kind: 'process' };

/**
 * Where a command came from; travels with it through Temporal, the address encrypted (`encrypted-address.ts`). Holds no other private data.
 */
export interface Caller {
  actor: Actor;
  requestId: string;
  ip: string | null;
  /** With an `Idempotency-Key`: results of the request's commands are recorded for repeats. */
  idempotency?: IdempotentRequest | null | undefined;
}

/** A caller that is no request under a key: a process, a test, work after an answer. */
export interface UnrecordedCaller extends Caller {
  idempotency?: undefined;
}

/** Returns the caller without the idempotent request, for commits that are not recorded for repeats. */
export function unrecorded({ actor, requestId, ip }: Caller): UnrecordedCaller {
  return { actor, requestId, ip };
}

/** As much of the ORM as a command uses; sets, lists and statements by hand go through `db` (`database/README.md`). */
export type EntityRows = Pick<EntityManager, 'create' | 'remove' | 'flush' | 'findOne' | 'find'>;

/**
 * What a command may use. A route or an activity opens the transaction; a command never commits or nests, and inside it there is only SQL:
 * no HTTP, no mail, no files, no Temporal.
 */
export interface CommandContext extends UnrecordedCaller {
  /** For the rows that the command changes (`database/lock.ts`). */
  readonly em: EntityRows;
  /** For all other queries, in the same transaction; sees what was flushed. */
  readonly db: Database;
  /** The instant of the command by the domain's clock. */
  readonly now: Date;
  readonly extensions: Extensions;
  /** Names a process that must look at its record again: a row of the outbox, written by this transaction. */
  wake(ref: ProcessRef): void;
  /** The same for the process of a new record, which begins like this (`workflows/start-process.ts`). */
  start(ref: ProcessRef, start: ProcessStart): void;
}

/** Returns the same transaction with the registry as the actor, for its own steps within a command. */
export function asRegistry(ctx: CommandContext): CommandContext {
  return { ...ctx, actor: { kind: 'process' }, ip: null };
}

/**
 * Returns the account on whose behalf a command runs: under impersonation the account's holder, not the administrator. Null for processes
 * and anonymous callers.
 */
export function actingUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? (actor.impersonatedUserId ?? actor.userId) : null;
}

/** Returns whether the actor uses administrator rights; false under impersonation. */
export function isActingAsAdministrator(actor: Actor): boolean {
  return actor.kind === 'user' && actor.isAdministrator && actor.impersonatedUserId === null;
}

/** Returns the impersonated account; null without impersonation. */
export function impersonatedUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? actor.impersonatedUserId : null;
}

/** Returns the accountable account, for audit and ledger: under impersonation the administrator. */
export function accountableUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? actor.userId : null;
}

/** Returns the owner of idempotency keys: an impersonating administrator has separate keys in the account. */
export function principalOf(actor: Actor): string {
  if (actor.kind !== 'user') return actor.kind;
  const account = impersonatedUserId(actor);
  return `user:${actor.userId}${account === null ? '' : ` as ${account}`}`;
}
