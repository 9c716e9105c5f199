import type { EntityManager } from '@mikro-orm/postgresql';
import type { Caller, CommandContext } from './context.ts';
import { isPassingDatabaseError, isRolledBack } from './database/constraint-errors.ts';
import type { Platform } from './platform.ts';
import type { ProcessRef } from './process-ref.ts';

const attempts = 3;

/** Result of a transaction together with the processes that must hear of it. */
export interface Committed<T> {
  result: T;
  touched: ProcessRef[];
}

/**
 * Runs a command in one transaction of its own. A deadlock or a lost serialization is tried again: the command is pure SQL,
 * so a rolled-back attempt left nothing. So is a lost connection, unless it was lost over the COMMIT: then nobody knows whether
 * the command is in effect, and to run it again could do it twice.
 * @throws {DomainError} whatever the command refuses; nothing is written then
 */
export async function commit<T>(
  platform: Pick<Platform, 'orm' | 'clock'>,
  caller: Caller,
  command: (ctx: CommandContext) => Promise<T>,
): Promise<Committed<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const touched = new Set<ProcessRef>();
    const em = platform.orm.em.fork();
    let isToBeCommitted = false;
    try {
      await em.begin();
      const now = await platform.clock.now(em);
      const result = await command({ ...caller, em, now, touch: (process) => touched.add(process) });
      isToBeCommitted = true;
      await em.commit();
      return { result, touched: [...touched] };
    } catch (error) {
      if (em.isInTransaction()) await em.rollback();
      const leftNothing = isToBeCommitted ? isRolledBack(error) : isPassingDatabaseError(error);
      if (attempt >= attempts || !leftNothing) throw error;
    }
  }
}

/**
 * The edge of a route that writes plain data: one command in one transaction; then the processes it touched are told, in the
 * background. A telling that is lost (the engine is away, this process dies) is made good by the sweeper.
 */
export async function runCommand<T>(platform: Platform, caller: Caller, command: (ctx: CommandContext) => Promise<T>): Promise<T> {
  const { result, touched } = await commit(platform, caller, command);
  for (const process of touched) platform.processes.touchInBackground(process, caller.requestId);
  return result;
}

/** Runs a reading: an entity manager of its own and the present instant, no transaction. */
export async function read<T>(platform: Pick<Platform, 'orm' | 'clock'>, query: (em: EntityManager, now: Date) => Promise<T>): Promise<T> {
  const em = platform.orm.em.fork();
  return query(em, await platform.clock.now(em));
}
