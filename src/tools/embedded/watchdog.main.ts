/**
 * The watchdog outlives a supervisor that is killed with SIGKILL. Its standard input is a pipe that closes with the supervisor. It then ends
 * the processes listed in the folder, in order first and by force if that does not help, and removes a throwaway folder. A supervisor
 * that stops in order writes a word before it closes the pipe.
 */
import { rmSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { readChildren } from './children.ts';
import { endRemaining, signal } from './process-identity.ts';

const graceMs = 10_000;
const [folder = '', isThrowaway] = process.argv.slice(2);

// The watchdog must outlive the terminal and the process group of the supervisor.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

if ((await text(process.stdin)) === '') {
  const children = readChildren(folder);
  for (const child of children) signal(child, child.stopSignal);
  await endRemaining(children, graceMs);
  if (isThrowaway !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit(0);
