import { collectGarbage } from '../support/event-loop.ts';

export type HeapRequest = 'report the heap';
export interface HeapReport {
  heapBytes: number;
}

/** Preloaded into a measured program (`startChild`): answers each `HeapRequest`. */
process.on('message', (message) => {
  if (message !== ('report the heap' satisfies HeapRequest)) return;
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heapBytes: heapUsed + external } satisfies HeapReport);
});
