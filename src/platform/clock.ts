import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Time as the domain knows it. Every rule that reads the time asks this port: validity, expiry, time limits, the numbering
 * year (decisions.md §11). Sessions and rate limits guard real seconds and do not.
 */
export interface Clock {
  /** Whether the time can be moved. */
  readonly sandbox: boolean;
  /** The present instant. Pass the entity manager of the open transaction where there is one. */
  now(em: EntityManager): Promise<Date>;
}

export const systemClock: Clock = { sandbox: false, now: async () => new Date() };

/** The system's time plus the offset kept in the database, so that the API and all workers see the same time at once. */
export const sandboxClock: Clock = {
  sandbox: true,
  async now(em) {
    const offset = await readOffsetSeconds(em);
    return new Date(Date.now() + offset * 1000);
  },
};

/** How far the sandbox is ahead, in seconds. */
export async function readOffsetSeconds(em: EntityManager): Promise<number> {
  const [row] = await em.execute<{ offset_seconds: string }[]>('select offset_seconds from sandbox_clock where id = 1');
  return Number(row?.offset_seconds ?? 0);
}
