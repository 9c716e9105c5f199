import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../database/database.ts';
import type { Extensions } from '../extensions.ts';
import type { ChangedSubject, IdempotentRequest } from './idempotent-request.ts';
import type { ProcessRef } from '../workflows/process-ref.ts';
import type { ProcessStart } from '../workflows/process-start.ts';

/**
 * The actor of a command. `isAdministrator`: acts with administrator rights; a key needs `admin:write` for it. `impersonatedUserId`: an
 * administrator (`userId`) acts as this account, without own rights; the audit names both. `apiKeyId`: the key of the request; absent for a
 * browser. `sessionId`: the browser session that must still exist at the commit; only where a request is bound to it (`bindToSession`).
 */
export type Actor =
  | { kind: 'user'; userId: number; isAdministrator: boolean; impersonatedUserId: number | null; apiKeyId?: number; sessionId?: string }
  | { kind: 'anonymous' }
  /** A process acts on its own (timer, bank's response, sweeper). */
  | { kind: 'process' };

/** The source of a command. Temporal stores it with the address encrypted (`encrypted-address.ts`); it has no other private data. */
export interface Caller {
  actor: Actor;
  requestId: string;
  ip: string | null;
  /** With an `Idempotency-Key`: results of the request's commands are recorded for repeats. */
  idempotency?: IdempotentRequest | null | undefined;
}

/** A caller without an idempotency key: a process, a test, work after an answer. */
export interface UnrecordedCaller extends Caller {
  idempotency?: undefined;
}

/** Returns the caller without the idempotent request, for commits that are not recorded for repeats. */
export function unrecorded({ actor, requestId, ip }: Caller): UnrecordedCaller {
  return { actor, requestId, ip };
}

/** The part of the ORM that commands use; sets and lists go through `db` (`database/README.md`). */
export type EntityRows = Pick<EntityManager, 'create' | 'remove' | 'flush' | 'findOne' | 'find'>;

/** A fact that a command has audited; the log of changes gets those that it publishes at the commit (CHG-1). */
export interface RecordedFact extends ChangedSubject {
  /** Of a record that the command deletes: its owner, and the record that it belonged to. */
  deleted?: DeletedRecord | undefined;
}

export interface DeletedRecord {
  ownerId: number;
  parentId?: number;
}

/**
 * What a command may use. A route or an activity opens the transaction. A command never commits and runs only SQL: no HTTP, mail, files or
 * Temporal.
 */
export interface CommandContext extends UnrecordedCaller {
  /** For the rows that the command changes (`database/lock.ts`). */
  readonly em: EntityRows;
  /** For all other queries, in the same transaction; sees flushed changes. */
  readonly db: Database;
  /** The command's instant by the domain clock. */
  readonly now: Date;
  readonly extensions: Extensions;
  /** What the command has audited so far. */
  readonly facts: RecordedFact[];
  /** Wakes a process, so that it reads its record again. This transaction writes an outbox row. */
  wake(ref: ProcessRef): void;
  /** Starts the process of a new record in the given state (`workflows/start-process.ts`). */
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

/** Returns whether an account acts itself, so that it needs no notification of the act; false under impersonation. */
export function isOwnAct(actor: Actor, userId: number): boolean {
  return actor.kind === 'user' && actor.userId === userId && actor.impersonatedUserId === null;
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

/**
 * Returns the credential that owns an idempotency key (API-6): one API key, or the browser sessions of one account together. An
 * impersonating administrator has separate keys in the account.
 */
export function credentialOf(actor: Actor): string {
  if (actor.kind !== 'user') return actor.kind;
  const account = impersonatedUserId(actor);
  const key = actor.apiKeyId === undefined ? '' : ` key ${actor.apiKeyId}`;
  return `user:${actor.userId}${account === null ? '' : ` as ${account}`}${key}`;
}
