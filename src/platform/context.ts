import type { EntityManager } from '@mikro-orm/postgresql';
import type { ProcessRef } from './process-ref.ts';

/** Who acts. `impersonatedUserId`: an administrator acts as that person; the audit names both. */
export type Actor =
  | { kind: 'user'; userId: number; isAdministrator: boolean; impersonatedUserId: number | null }
  | { kind: 'anonymous' }
  /** A process acts by itself (a timer, the bank's answer, the sweeper). */
  | { kind: 'process' };

/** Where a command came from; travels with it through the engine, the address sealed (`sealed-address.ts`). Holds no other private data. */
export interface Caller {
  actor: Actor;
  requestId: string;
  ip: string | null;
}

/**
 * What a command may use. The edge (a route or an activity) opens the transaction; a command never commits, never nests,
 * and inside it there is only SQL: no HTTP, no mail, no files, no engine (design.md "Data").
 */
export interface CommandContext extends Caller {
  readonly em: EntityManager;
  /** The instant of the command by the domain's clock. */
  readonly now: Date;
  /** Names a process whose facts this command changes: it is told after the commit, and started if it is missing. */
  touch(process: ProcessRef): void;
}

/**
 * The person on whose behalf a command runs and whose records it may change: under impersonation the account's holder, not the
 * administrator. Null for processes and strangers.
 */
export function actingUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? (actor.impersonatedUserId ?? actor.userId) : null;
}

/** The person who answers for a command, whom the journal and the ledger name: under impersonation the administrator himself. */
export function accountableUserId(actor: Actor): number | null {
  return actor.kind === 'user' ? actor.userId : null;
}
