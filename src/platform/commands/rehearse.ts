import { sql } from 'kysely';
import type { CommandContext } from './context.ts';

/**
 * Runs a command within a transaction and takes back all that it wrote, so that its outcome is exactly what the same command would do now.
 * Keeps its locks until the transaction ends. Wakes and starts no process.
 * @throws what the command throws
 */
export async function rehearse<T>(ctx: CommandContext, command: (ctx: CommandContext) => Promise<T>): Promise<T> {
  await ctx.em.flush();
  await sql`savepoint rehearsal`.execute(ctx.db);
  try {
    const outcome = await command({ ...ctx, facts: [], wake: () => undefined, start: () => undefined });
    // Constraints refuse at the latest here.
    await ctx.em.flush();
    return outcome;
  } finally {
    await sql`rollback to savepoint rehearsal`.execute(ctx.db);
  }
}
