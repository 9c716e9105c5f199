import { DomainError } from '../../errors.ts';
import { moveOffset } from '../../platform/time/clock.ts';
import type { CommandContext } from '../../platform/commands/context.ts';

/**
 * Moves the sandbox clock forward (SBX-1), to an instant or to an offset from the system's time in seconds.
 * @throws {DomainError} clock_backwards
 */
export async function moveClock(
  ctx: CommandContext,
  target: { now?: Date | undefined; offset_seconds?: number | undefined },
): Promise<{ now: Date; offsetSeconds: number }> {
  const systemNow = Date.now();
  // Rounded up, so that the clock is not a fraction of a second before the requested instant.
  const offsetSeconds = target.offset_seconds ?? Math.ceil(((target.now ?? ctx.now).getTime() - systemNow) / 1000);
  if (!(await moveOffset(ctx.db, offsetSeconds, new Date(systemNow)))) throw new DomainError('clock_backwards');
  return { now: new Date(systemNow + offsetSeconds * 1000), offsetSeconds };
}
