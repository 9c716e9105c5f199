/**
 * The process that outlives a supervisor killed with SIGKILL. It holds the reading end of a pipe; the pipe closes with the
 * supervisor, and the warden then ends what the supervisor had registered: orderly first, by force when that does not help.
 * Lines: `{"guard": {pid, startedAt, signal}}`, `{"release": pid}`, `{"done": true}` (the supervisor stopped in order).
 */
import { createInterface } from 'node:readline';
import { signal, waitUntilGone } from './process-identity.ts';
import type { WardenMessage, Guarded } from './warden.ts';

const graceMs = 10_000;
const guarded = new Map<number, Guarded>();

// The warden must outlive the terminal and the group of the supervisor.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined);

function receive(line: string): void {
  const message = JSON.parse(line) as WardenMessage;
  if ('guard' in message) guarded.set(message.guard.pid, message.guard);
  else if ('release' in message) guarded.delete(message.release);
  else guarded.clear();
}

async function endAll(): Promise<void> {
  const targets = [...guarded.values()];
  for (const target of targets) signal(target, target.signal);
  for (const target of await waitUntilGone(targets, graceMs)) signal(target, 'SIGKILL');
}

const lines = createInterface({ input: process.stdin });
lines.on('line', receive);
lines.on('close', () => void endAll().then(() => process.exit(0)));
