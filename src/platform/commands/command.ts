import type { EntityManager } from '@mikro-orm/postgresql';
import { type Actor, type Caller, type CommandContext, type RecordedFact, unrecorded, type UnrecordedCaller } from './context.ts';
import { hasWaitedLong, isRolledBack, isTransientDatabaseError } from '../database/constraint-errors.ts';
import { type Database, databaseOf } from '../database/database.ts';
import { definePoint } from '../extensions.ts';
import type { ChangedSubject, Recorded } from './idempotent-request.ts';
import type { Platform } from '../platform.ts';
import type { ProcessRef } from '../workflows/process-ref.ts';
import type { ProcessStart } from '../workflows/process-start.ts';
import { type WakeUp, writeWakeUps } from '../workflows/outbox.ts';

/**
 * Checks within a command's transaction that its actor still has the rights of the request. The result must stay valid until the commit.
 * @throws {DomainError} forbidden, unauthenticated
 */
export type ActorCheck = (ctx: Pick<CommandContext, 'actor' | 'db'>) => Promise<void>;

/** Every command runs these checks before its commit, so no command can omit them. */
export const actorChecks = definePoint<ActorCheck>('whether the actor still has the rights of the request');

/** Writes what follows from a command's facts, after all its own statements and in its transaction. */
type BeforeCommit = (ctx: Pick<CommandContext, 'db' | 'now' | 'extensions' | 'facts' | 'wake'>) => Promise<void>;

/** `commit` calls these writers before each commit. */
export const beforeCommit = definePoint<BeforeCommit>('what follows from the facts of a command');

/**
 * Checks that the caller may still read the records that a repeated request changed, once the account has lost a right since.
 * @throws {DomainError} not_found
 */
export type RepeatCheck = (platform: CommandPlatform, actor: Actor, subjects: readonly ChangedSubject[]) => Promise<void>;

/** `commit` runs these checks before a repeat receives a recorded result. */
export const repeatChecks = definePoint<RepeatCheck>('whether a repeat may still read what its request changed');

const attempts = 3;

/** The parts of the platform that a command needs. */
export type CommandPlatform = Pick<Platform, 'orm' | 'clock' | 'extensions' | 'outbox'>;

export interface CommitOptions {
  /** The process that runs the command and therefore needs no wake-up. */
  own?: ProcessRef;
}

/**
 * Runs a command in one transaction.
 *
 * Retries after a deadlock, a serialization failure or a lost connection. Does not retry after a connection loss during COMMIT: the outcome
 * is unknown, and a retry could run the command twice. Does not retry after a timeout of a lock, a connection or an answer.
 *
 * Refuses an administrator's command if the account lost its rights meanwhile, and a command that is bound to a session which ended
 * (`actorChecks`). Wakes processes after the commit, in the background; the outbox relay delivers lost wake-ups.
 *
 * A command with an `Idempotency-Key` runs once: its transaction records the result, and a repeat receives it (API-6). One that changed nothing
 * runs again once the account has lost a right.
 * @throws {DomainError} the command's refusal, which writes nothing; idempotency_key_conflict, request_in_progress; not_found for a repeat
 *   whose records belong to another account since
 */
export async function commit<T>(
  platform: CommandPlatform,
  caller: UnrecordedCaller,
  command: (ctx: CommandContext) => Promise<T>,
  options?: CommitOptions,
): Promise<T>;
export async function commit<T>(
  platform: CommandPlatform,
  caller: Caller,
  command: (ctx: CommandContext) => Promise<T>,
): Promise<Recorded<T>>;
export async function commit<T>(
  platform: CommandPlatform,
  caller: Caller,
  command: (ctx: CommandContext) => Promise<T>,
  options: CommitOptions = {},
): Promise<unknown> {
  const request = caller.idempotency ?? null;
  const begin = request?.beginCommit() ?? null;
  if (request === null || begin === null) return run(platform, unrecorded(caller), command, options);
  let { recorded } = begin;
  try {
    recorded ??= {
      result: await run(platform, unrecorded(caller), async (ctx) => {
        const result = await command(ctx);
        await ctx.em.flush();
        await request.record(ctx.db, result, ctx.facts);
        return result;
      }),
      toCheck: null,
    };
  } catch (error) {
    recorded = await request.findConcurrentResult(databaseOf(platform.orm.em.fork()));
    if (recorded === null) throw error;
  }
  const { toCheck } = recorded;
  if (toCheck !== null) for (const check of platform.extensions.of(repeatChecks)) await check(platform, caller.actor, toCheck);
  // What changed nothing names no record to check; today's rights decide when it runs again.
  const result = toCheck?.length === 0 ? await run(platform, unrecorded(caller), command, options) : recorded.result;
  request.endCommit(result);
  return result;
}

async function run<T>(
  platform: CommandPlatform,
  caller: UnrecordedCaller,
  command: (ctx: CommandContext) => Promise<T>,
  { own }: CommitOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const em = platform.orm.em.fork();
    let isCommitting = false;
    try {
      const woken = new Map<ProcessRef, ProcessStart | null>();
      const facts: RecordedFact[] = [];
      const { result, wakeUps } = await inTransaction(em, async () => {
        const db = databaseOf(em);
        const now = await platform.clock.now(db);
        const { extensions } = platform;
        const wake = (ref: ProcessRef) => void woken.set(ref, null);
        const start = (ref: ProcessRef, begin: ProcessStart) => void woken.set(ref, begin);
        const given = await command({ ...caller, em, db, now, extensions, facts, wake, start });
        await em.flush();
        // After the command's own locks: a command that changes the account must not first take a share lock on it.
        for (const check of extensions.of(actorChecks)) await check({ actor: caller.actor, db });
        for (const write of extensions.of(beforeCommit)) await write({ db, now, extensions, facts, wake });
        if (own !== undefined) woken.delete(own);
        const written = await writeWakeUps(db, woken, caller.requestId);
        isCommitting = true;
        return { result: given, wakeUps: written };
      });
      deliver(platform, wakeUps);
      return result;
    } catch (error) {
      const isRetryable = isCommitting ? isRolledBack(error) : isTransientDatabaseError(error);
      if (attempt >= attempts || !isRetryable || hasWaitedLong(error)) throw error;
    }
  }
}

async function inTransaction<T>(em: EntityManager, work: () => Promise<T>): Promise<T> {
  try {
    await em.begin();
    const result = await work();
    await em.commit();
    return result;
  } catch (error) {
    if (em.isInTransaction()) await em.rollback();
    throw error;
  }
}

function deliver({ outbox }: CommandPlatform, wakeUps: readonly WakeUp[]): void {
  if (wakeUps.length > 0) outbox.deliver(wakeUps);
}

/** Runs typed queries with the current instant, without a transaction. */
export async function query<T>(platform: Pick<Platform, 'orm' | 'clock'>, reading: (db: Database, now: Date) => Promise<T>): Promise<T> {
  const db = databaseOf(platform.orm.em.fork());
  return reading(db, await platform.clock.now(db));
}
