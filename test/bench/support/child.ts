import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../../src/tools/embedded/scripts.ts';
import type { HeapReport, HeapRequest } from './report-heap.ts';

/** A program in a child process. */
export interface Child {
  process: ChildProcess;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until it reports `{ready: true}`.
 *
 * @param path relative to test/bench
 * @throws when the program ends instead
 */
export async function startChild(path: string, env: Record<string, string>, { reportsHeap = false } = {}): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`../${path}`, import.meta.url)), [], {
    env,
    execArgv: reportsHeap ? [...nodeFlags, '--import', new URL('report-heap.ts', import.meta.url).href] : nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${path} ended with code ${String(code)}`)));
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return {
    process: child,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/**
 * Heap and external buffers of a program started with `reportsHeap`, after a garbage collection, MB. Unlike the resident memory, it grows
 * only when the program keeps data.
 */
export async function heapMb({ process: child }: Child): Promise<number> {
  const reported = once(child, 'message') as Promise<[HeapReport]>;
  child.send('report the heap' satisfies HeapRequest);
  const [{ heapBytes }] = await reported;
  return heapBytes / 1024 / 1024;
}
