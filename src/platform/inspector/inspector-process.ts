import { Worker } from 'node:worker_threads';
import { inspectFile } from './inspect-file.ts';
import type { AcceptedType, Inspection, InspectionRequest } from './inspection.ts';

/** From the parent. `deadlineMs`: time after which this process kills itself. */
export type InspectorCommand = InspectionRequest & { deadlineMs: number };

/** To the parent. */
export type InspectorReply =
  | { kind: 'ready' }
  | { kind: 'type'; type: AcceptedType }
  | { kind: 'done'; inspection: Inspection }
  | { kind: 'failed'; reason: string };

/**
 * The parent kills a process that takes too long. If the parent was killed, a busy event loop does not notice that its channel closed. So a
 * thread checks the deadline.
 */
const deadline = new BigInt64Array(new SharedArrayBuffer(8));
const watch = `
  const { workerData } = require('node:worker_threads');
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    Atomics.wait(sleeper, 0, 0, 1000);
    const until = Atomics.load(workerData, 0);
    if (until !== 0n && BigInt(Date.now()) > until) process.kill(process.pid, 'SIGKILL');
  }`;
new Worker(watch, { eval: true, workerData: deadline }).unref();

function reply(message: InspectorReply): void {
  process.send?.(message);
}

process.on('message', (command: InspectorCommand) => {
  const { deadlineMs, ...request } = command;
  Atomics.store(deadline, 0, BigInt(Date.now() + deadlineMs));
  inspectFile(request, (type) => reply({ kind: 'type', type }))
    .then(
      (inspection) => reply({ kind: 'done', inspection }),
      (error: unknown) => reply({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => Atomics.store(deadline, 0, 0n));
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent ends this process.
process.on('SIGINT', () => undefined);
reply({ kind: 'ready' });
