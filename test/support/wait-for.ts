/** Waits until a condition holds, by asking again; fails with what was seen last. The deadline suits a machine with twenty times the load. */
export async function waitFor<T>(look: () => Promise<T> | T, isDone: (seen: T) => boolean, what: string, deadlineMs = 120_000): Promise<T> {
  const deadline = Date.now() + deadlineMs;
  // Asked too often, what takes long takes longer.
  for (let pauseMs = 30; ; pauseMs = Math.min(pauseMs * 1.5, 250)) {
    const seen = await look();
    if (isDone(seen)) return seen;
    if (Date.now() > deadline) throw new Error(`waited in vain for ${what}; last seen: ${JSON.stringify(seen)}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}

/** Waits until so many statements in the database of a service wait for a lock. */
export function waitForLock({ sql }: { sql(statement: string): Promise<unknown[]> }, count = 1): Promise<unknown> {
  const look = () => sql("select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'");
  return waitFor(look, ({ length }) => length >= count, `${count} statements that wait for a lock`);
}
