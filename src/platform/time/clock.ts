import type { Database } from '../database/database.ts';

/**
 * Domain time. Every rule that depends on time uses this port: validity, expiry, time limits, the numbering year. Sessions and rate limits
 * use real time.
 */
export interface Clock {
  /** Whether the time can be moved. */
  readonly sandbox: boolean;
  /** The current instant. Pass the open transaction, if there is one. */
  now(db: Database): Promise<Date>;
}

export const systemClock: Clock = { sandbox: false, now: async () => new Date() };

/** The system's time plus an offset from the database, so that the API and all workers see the same time. */
export const sandboxClock: Clock = {
  sandbox: true,
  async now(db) {
    return new Date(Date.now() + (await readOffsetSeconds(db)) * 1000);
  },
};

/** Converts a real instant, such as the bank's, to domain time: with the sandbox offset of that instant, not the current one. */
export async function registryInstant({ sandbox }: Pick<Clock, 'sandbox'>, db: Database, instant: Date): Promise<Date> {
  if (!sandbox) return instant;
  const moved = await db
    .selectFrom('sandbox_clock_moves')
    .select(({ fn }) => fn.max('offsetSeconds').as('offsetSeconds'))
    .where('at', '<=', instant)
    .executeTakeFirst();
  return new Date(instant.getTime() + (moved?.offsetSeconds ?? 0) * 1000);
}

/**
 * Moves the sandbox clock forwards to an offset from the system's time, in seconds.
 * @returns whether it moved; false when it is already further ahead
 */
export async function moveOffset(db: Database, offsetSeconds: number, at: Date): Promise<boolean> {
  const moved = await db
    .updateTable('sandbox_clock')
    .set({ offsetSeconds })
    .where('id', '=', 1)
    .where('offsetSeconds', '<=', offsetSeconds)
    .returning('offsetSeconds')
    .executeTakeFirst();
  if (moved) await db.insertInto('sandbox_clock_moves').values({ at, offsetSeconds }).execute();
  return moved !== undefined;
}

/** Shorter moves are not worth a note, seconds. */
const leastMoveSeconds = 60;

/** @returns the sandbox clock's instant; null while it shows the real time, to a minute */
export async function readMovedClock(db: Database, now: Date): Promise<Date | null> {
  return (await readOffsetSeconds(db)) < leastMoveSeconds ? null : now;
}

/** How far the sandbox is ahead, in seconds. */
export async function readOffsetSeconds(db: Database): Promise<number> {
  const row = await db.selectFrom('sandbox_clock').select('offsetSeconds').where('id', '=', 1).executeTakeFirst();
  return row?.offsetSeconds ?? 0;
}
