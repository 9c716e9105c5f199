/**
 * The watchdog: a process that lives on when its supervisor was killed with SIGKILL. It holds the reading end of a pipe. The pipe closes
 * with the supervisor; then the watchdog ends the processes that the supervisor had registered, in order first and by force if that does
 * not help, and removes the folders that were to be thrown away. Lines: `{"guard": {pid, startedAt, signal}}`, `{"release": pid}`,
 * `{"discard": path}`, `{"done": true}` (the supervisor stopped in order).
 */
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { signal, waitUntilGone } from './process-identity.ts';
import type { Guarded, WatchdogMessage } from './watchdog.ts';

const graceMs = 10_000;
const guarded = new Map<number, Guarded>();
const discarded = new Set<string>();

// The watchdog must outlive the terminal and the process group of the supervisor.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

function receive(line: string): void {
  const message = JSON.parse(line) as WatchdogMessage;
  if ('guard' in message) guarded.set(message.guard.pid, message.guard);
  else if ('release' in message) guarded.delete(message.release);
  else if ('discard' in message) discarded.add(message.discard);
  else {
    guarded.clear();
    discarded.clear();
  }
}

async function endAll(): Promise<void> {
  const targets = [...guarded.values()];
  for (const target of targets) signal(target, target.signal);
  const stubborn = await waitUntilGone(targets, graceMs);
  for (const target of stubborn) signal(target, 'SIGKILL');
  await waitUntilGone(stubborn, graceMs);
  for (const path of discarded) rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}

const lines = createInterface({ input: process.stdin });
lines.on('line', receive);
lines.on('close', () => void endAll().finally(() => process.exit(0)));
