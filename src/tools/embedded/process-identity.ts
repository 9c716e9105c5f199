import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { errorCode } from '../../platform/logging/error-code.ts';

/** Identifies a process, even if its id is reused: `startedAt` is the system's start time. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** Returns the running process with an id; `undefined` for none or a zombie. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Returns whether this process runs, and not another with its id. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

function startFromProc(pid: number): string | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses, which may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], fields[19]];
  return state === 'Z' || state === 'X' ? undefined : startTicks;
}

function startFromPs(pid: number): string | undefined {
  try {
    const [state, ...start] = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' })
      .trim()
      .split(/\s+/);
    return state === undefined || state === '' || state.startsWith('Z') ? undefined : start.join(' ');
  } catch {
    return undefined;
  }
}

/** Sends a signal to this process; ignores an ended one. */
export function signal(target: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

/** Waits until all processes have ended, with a time limit; returns those that still run. */
export async function waitUntilGone(targets: ProcessIdentity[], timeoutMs: number, pollMs = 50): Promise<ProcessIdentity[]> {
  const deadline = Date.now() + timeoutMs;
  let living = targets.filter(isAlive);
  while (living.length > 0 && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, pollMs));
    living = living.filter(isAlive);
  }
  return living;
}

/** Waits until the processes have ended, and kills those that remain after the grace period. */
export async function endRemaining(targets: ProcessIdentity[], graceMs: number): Promise<void> {
  const remaining = await waitUntilGone(targets, graceMs);
  for (const target of remaining) signal(target, 'SIGKILL');
  await waitUntilGone(remaining, graceMs);
}
