import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 10;
const windowMs = 60_000;

/** Measures how long whatever is due has to wait for what runs. */
export interface EventLoopWatch {
  /** Seconds; the worst of the last one to two minutes. */
  worstDelay(): number;
  stop(): void;
}

/**
 * Two measures side by side, of which one begins anew each minute: a measure misses what runs while it begins, and the other one
 * sees that.
 */
export function watchEventLoop(): EventLoopWatch {
  const measures = [0, 1].map(() => monitorEventLoopDelay({ resolution: resolutionMs }));
  for (const measure of measures) measure.enable();
  let turn = 0;
  const timer = setInterval(() => {
    measures[turn % measures.length]?.reset();
    turn += 1;
  }, windowMs).unref();
  return {
    // What is measured is the time between two looks, of which the time between two looks without any delay is a part.
    worstDelay: () => Math.max(0, Math.max(...measures.map(({ max }) => max)) / 1e9 - resolutionMs / 1_000),
    stop() {
      clearInterval(timer);
      for (const measure of measures) measure.disable();
    },
  };
}
