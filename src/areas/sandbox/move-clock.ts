import { DomainError } from '../../errors.ts';
import type { CommandContext } from '../../platform/context.ts';

/**
 * Moves the sandbox clock forwards (SBX-1), to an instant or to an offset from the system's time in seconds.
 * @throws {DomainError} clock_backwards
 */
export async function moveClock(
  ctx: CommandContext,
  target: { now?: Date | undefined; offset_seconds?: number | undefined },
): Promise<{ now: Date; offsetSeconds: number }> {
  const systemNow = Date.now();
  // Rounded up, so that the clock is not a fraction of a second before the requested instant.
  const offsetSeconds = target.offset_seconds ?? Math.ceil(((target.now ?? ctx.now).getTime() - systemNow) / 1000);
  const moved = await ctx.db
    .updateTable('sandbox_clock')
    .set({ offsetSeconds })
    .where('id', '=', 1)
    .where('offsetSeconds', '<=', offsetSeconds)
    .returning('offsetSeconds')
    .executeTakeFirst();
  if (!moved) throw new DomainError('clock_backwards');
  await ctx.db
    .insertInto('sandbox_clock_moves')
    .values({ at: new Date(systemNow), offsetSeconds })
    .execute();
  return { now: new Date(systemNow + offsetSeconds * 1000), offsetSeconds };
}
