import { Worker } from 'node:worker_threads';
import type { SheetReading } from '../spreadsheet/reading/sheet-content.ts';
import { readSheetFile, type SheetType } from '../spreadsheet/reading/read-sheet.ts';
import { inspectFile } from './inspect-file.ts';
import type { AcceptedType, Inspection, InspectionRequest } from './inspection.ts';

/** What the process does with a file. */
export type InspectorTask = ({ task: 'inspect' } & InspectionRequest) | { task: 'read_sheet'; path: string };
/** What each task results in. */
export type InspectorResults = { inspect: Inspection; read_sheet: SheetReading };

/** From the parent. `deadlineMs`: time after which this process kills itself. */
export type InspectorCommand = InspectorTask & { deadlineMs: number };

/** To the parent. `type`: the process is about to decode a file of this type. */
export type InspectorReply =
  | { kind: 'ready' }
  | { kind: 'type'; type: AcceptedType | SheetType }
  | { kind: 'done'; result: InspectorResults[keyof InspectorResults] }
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

function perform(task: InspectorTask): Promise<Inspection | SheetReading> {
  const onType = (type: AcceptedType | SheetType): void => reply({ kind: 'type', type });
  return task.task === 'inspect' ? inspectFile(task, onType) : readSheetFile(task.path, onType);
}

process.on('message', ({ deadlineMs, ...task }: InspectorCommand) => {
  Atomics.store(deadline, 0, BigInt(Date.now() + deadlineMs));
  perform(task)
    .then(
      (result) => reply({ kind: 'done', result }),
      (error: unknown) => reply({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) }),
    )
    .finally(() => Atomics.store(deadline, 0, 0n));
});
process.once('disconnect', () => process.exit(0));
// Ctrl-C reaches the whole process group; the parent ends this process.
process.on('SIGINT', () => undefined);
reply({ kind: 'ready' });
