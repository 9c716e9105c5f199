import { collectGarbage } from '../../support/event-loop.ts';
import { heldQuestion } from './held-memory.ts';

/** Loaded into a measured program before its own code (`startChild`): says what it holds whenever it is asked. */
process.on('message', (message) => {
  if (message !== heldQuestion) return;
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  process.send?.({ heldBytes: heapUsed + external });
});
