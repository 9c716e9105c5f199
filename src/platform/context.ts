import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from './database/database.ts';
import type { Extensions } from './extensions.ts';
import type { IdempotentRequest } from './idempotent-request.ts';
import type { ProcessRef } from './process-ref.ts';
import type { ProcessStart } from './process-start.ts';

/**
 * Who acts. `isAdministrator`: with the rights of one, which is more than the role: a key needs `admin:write` for it.
 * `impersonatedUserId`: an administrator (`userId`) acts as that person, without rights of his own; the audit names both.
 * `apiKeyId`: the key that the request came with; absent for a browser.
 */
export type Actor =
  | { kind: 'user'; userId: number; isAdministrator: boolean; impersonatedUserId: number | null; apiKeyId?: number }
  | { kind: 'anonymous' }
  /** A process acts by itself (a timer, the bank's response, the sweeper). */
  | { kind: 'process' };

/** Where a command came from; travels with it through Temporal, the address encrypted (`encrypted-address.ts`). Holds no other private data. */
export interface Caller {
  actor: Actor;
  requestId: string;
  ip: string | null;
  /** Where a request has an `Idempotency-Key`: what its commands return is recorded for repeats. */
  idempotency?: IdempotentRequest | null | undefined;
}

/** A caller that is no request under a key: a process, a test, work after an answer. */
export interface UnrecordedCaller extends Caller {
  idempotency?: undefined;
}

/** The caller alone: what is committed for it is not recorded for repeats of the request. */
export function unrecorded({ actor, requestId, ip }: Caller): UnrecordedCaller {
  return { actor, requestId, ip };
}

/** As much of the ORM as a command uses; sets, lists and statements by hand go through `db` (`database/README.md`). */
export type EntityRows = Pick<EntityManager, 'create' | 'remove' | 'flush' | 'findOne' | 'find'>;

/**
 * What a command may use. The edge (a route or an activity) opens the transaction; a command never commits, never nests,
 * and inside it there is only SQL: no HTTP, no mail, no files, no Temporal.
 */
export interface CommandContext extends UnrecordedCaller {
  /** For the rows that the command changes (`database/lock.ts`). */
  readonly em: EntityRows;
  /** For everything else; sees what was flushed before. In the same transaction. */
  readonly db: Database;
  /** The instant of the command by the domain's clock. */
  readonly now: Date;
  readonly extensions: Extensions;
  /** Names a process that must look at its record again: a row of the outbox, written by this transaction. */
  wake(ref: ProcessRef): void;
  /** The same for the process of a new record, which begins like this (`workflows/start-process.ts`). */
  start(ref: ProcessRef, start: ProcessStart): void;
}

/** The same transaction for what the registry does by itself in the course of a command: it acts, and nobody answers for it. */
export function asRegistry(ctx: CommandContext): CommandContext {
  return { ...ctx, actor: { kind: 'process' }, ip: null };
}

/**
 * The person on whose behalf a command runs and whose records it may change: under impersonation the account's holder, not the
 * administrator. Null for processes and anonymous callers.
 */
export function actingUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? (actor.impersonatedUserId ?? actor.userId) : null;
}

/** Whether somebody acts with an administrator's rights and in his own name; in another's he may what the other may. */
export function isActingAsAdministrator(actor: Actor): boolean {
  return actor.kind === 'user' && actor.isAdministrator && actor.impersonatedUserId === null;
}

/** Whose account an administrator acts in; null for whoever acts in his own name. */
export function impersonatedUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? actor.impersonatedUserId : null;
}

/** The person who answers for a command, whom the audit and the ledger name: under impersonation the administrator himself. */
export function accountableUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? actor.userId : null;
}

/** Whose idempotency keys these are: an administrator who acts in an account has keys of their own there. */
export function principalOf(actor: Actor): string {
  if (actor.kind !== 'user') return actor.kind;
  const account = impersonatedUserId(actor);
  return `user:${actor.userId}${account === null ? '' : ` as ${account}`}`;
}
