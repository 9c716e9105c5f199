import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { nodeFlags } from '../../../src/tools/embedded/scripts.ts';

/** A program of the benchmarks or of the project in a process of its own. */
export interface Child {
  process: ChildProcess;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until it says `{ready: true}`, as the parts of the stack do.
 * @param path from the folder of the benchmarks
 * @throws when it ends instead
 */
export async function startChild(
  path: string,
  env: Record<string, string>,
  { tellsHeldMemory = false, args = [] }: { tellsHeldMemory?: boolean; args?: readonly string[] } = {},
): Promise<Child> {
  const child = fork(fileURLToPath(new URL(`../${path}`, import.meta.url)), [...args], {
    env,
    execArgv: tellsHeldMemory ? [...nodeFlags, '--import', new URL('tell-held-memory.ts', import.meta.url).href] : nodeFlags,
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
