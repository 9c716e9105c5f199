import { DomainError } from '../errors.ts';
import type { CommandContext } from '../platform/context.ts';

/**
 * Moves the sandbox clock (decisions.md §11): to an instant, or to an offset from the system's time in seconds.
 * @throws {DomainError} clock_backwards
 */
export async function moveClock(
  ctx: CommandContext,
  target: { now?: Date | undefined; offset_seconds?: number | undefined },
): Promise<{ now: Date; offsetSeconds: number }> {
  const systemNow = Date.now();
  // Rounded up, so that the clock never stands a fraction before the instant that was asked for.
  const offsetSeconds = target.offset_seconds ?? Math.ceil(((target.now ?? ctx.now).getTime() - systemNow) / 1000);
  const [moved] = await ctx.em.execute<{ offset_seconds: string }[]>(
    'update sandbox_clock set offset_seconds = ? where id = 1 and offset_seconds <= ? returning offset_seconds',
    [offsetSeconds, offsetSeconds],
  );
  if (!moved) throw new DomainError('clock_backwards');
  return { now: new Date(systemNow + offsetSeconds * 1000), offsetSeconds };
}
