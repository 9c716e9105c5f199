import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What one turn of the event loop cost at the worst. */
export interface TurnMeasure {
  /** Ends the measure. @returns milliseconds */
  stop(): number;
}

/**
 * Measures how long the event loop of this process is held, by what it computes itself: the processor time of its thread between two ticks
 * of a timer, or the time on the clock where that is less. What a busy machine gives to other processes meanwhile is no hold, so that the
 * same request measures the same on any machine.
 */
export function measureTurns(): TurnMeasure {
  let worst = 0;
  let last = read();
  const look = () => {
    const now = read();
    worst = Math.max(worst, Math.min(now.wall - last.wall, now.spent - last.spent));
    last = now;
  };
  const timer = setInterval(look, 2);
  return {
    stop() {
      clearInterval(timer);
      look();
      return worst;
    },
  };
}

function read(): { wall: number; spent: number } {
  const { user, system } = process.threadCpuUsage();
  return { wall: performance.now(), spent: (user + system) / 1_000 };
}

/** Collects the garbage of this process, so that what was left before falls into no measure. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
