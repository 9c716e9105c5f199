import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { codeOf } from './errors.ts';

/** A process that can be told from a later one with the same number: `startedAt` is the system's own mark of its start. */
export type ProcessIdentity = { pid: number; startedAt: string };

/** The living process with that number, or `undefined` (a zombie no longer lives). */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether this very process lives, not another that has since been given its number. */
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
  // The second field is the program's name in parentheses and may itself hold spaces and parentheses.
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

/** Sends a signal to that very process; a process that has ended meanwhile is no error. */
export function signal(target: ProcessIdentity, name: NodeJS.Signals): void {
  if (!isAlive(target)) return;
  try {
    process.kill(target.pid, name);
  } catch (error) {
    if (codeOf(error) !== 'ESRCH') throw error;
  }
}

/** Waits until none of the processes lives, or the time is over; answers with those that still do. */
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
