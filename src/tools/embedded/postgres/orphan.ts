import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identify, type ProcessIdentity, signal, waitUntilGone } from '../process-identity.ts';
import type { Progress } from '../progress.ts';
import { runCommand } from '../run-command.ts';

const orphanGraceMs = 15_000;

/**
 * Cleans up after a killed server, which leaves `postmaster.pid` and its socket's lock. If the process id belongs to another program,
 * PostgreSQL would refuse to start, so the files are deleted. If the old server still runs, it is stopped first. While its processes run,
 * the files stay, because PostgreSQL needs them.
 */
export async function endOrphan(cluster: string, progress: Progress): Promise<void> {
  const path = join(cluster, 'postmaster.pid');
  const pid = existsSync(path) ? Number(readFileSync(path, 'utf8').split('\n')[0]) : Number.NaN;
  const found = Number.isInteger(pid) && pid > 0 ? identify(pid) : undefined;
  const isServer = found !== undefined && (await isServerOf(pid, cluster));
  if (found && isServer) {
    progress.say(`PostgreSQL: a server of an earlier run still uses these files (process ${pid}); stopping it ...`);
    signal(found, 'SIGINT');
    if ((await waitUntilGone([found], orphanGraceMs)).length > 0) {
      signal(found, 'SIGQUIT');
      await waitUntilGone([found], orphanGraceMs);
    }
  }
  // The processes of a killed server end soon.
  const remaining = existsSync(path) ? await waitUntilGone(processesIn(cluster), orphanGraceMs) : [];
  if (remaining.length > 0) return;
  if (found && !isServer) rmSync(path, { force: true });
  for (const name of readdirSync(cluster)) if (/^\.s\.PGSQL\..*\.lock$/.test(name)) rmSync(join(cluster, name), { force: true });
}

/** Finds PostgreSQL's processes by their working directory, the cluster; only on Linux. */
function processesIn(cluster: string): ProcessIdentity[] {
  if (process.platform !== 'linux') return [];
  const inside = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/cwd`) === cluster;
    } catch {
      // The process ended, or belongs to another user.
      return false;
    }
  });
  return inside.map((name) => identify(Number(name))).filter((entry) => entry !== undefined);
}

async function isServerOf(pid: number, cluster: string): Promise<boolean> {
  const { output } = await runCommand('ps', ['-ww', '-o', 'args=', '-p', String(pid)]);
  const commandLine = existsSync(`/proc/${pid}/cmdline`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') : output;
  return commandLine.includes(`-D ${cluster} `);
}
