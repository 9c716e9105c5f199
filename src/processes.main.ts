/**
 * `npm run processes:rebuild`: starts the missing process of every active record, for a lost or new Temporal. With `-- --restart` it restarts
 * each record's process, for a release that changes the shape of the workflows. Both may be interrupted (Ctrl-C) and resume at the next run.
 *
 * `npm run processes:restart -- --patched <name>`: restarts the processes that passed a change of their workflow, before or after a rollback
 * to a release without it.
 */
import { parseArgs } from 'node:util';
import { prepareTemporal } from '../worker/prepare-temporal.ts';
import { ConfigurationError, environment, loadConfig, loadStackEnvironment } from './config.ts';
import { closePlatform, createPlatform } from './create-platform.ts';
import type { Platform } from './platform/platform.ts';
import { needsOf } from './process-needs.ts';
import { rebuildProcesses, restartPatched } from './platform/workflows/rebuild.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);
const usage = 'rebuild [--restart] | restart --patched <name of a change in workflows/patches.ts>';

/** What the command line asks for. @throws {ConfigurationError} */
function readArguments(): { isReplacing: boolean } | { patch: string } {
  const options = { restart: { type: 'boolean' }, patched: { type: 'string' } } as const;
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { restart = false, patched } = values;
    if (positionals.length === 1 && positionals[0] === 'rebuild' && patched === undefined) return { isReplacing: restart };
    // The name becomes a part of a query of Temporal.
    const isName = patched !== undefined && /^[a-z0-9-]+$/.test(patched);
    if (positionals.length === 1 && positionals[0] === 'restart' && isName && !restart) return { patch: patched };
  } catch (error) {
    throw new ConfigurationError([`${error instanceof Error ? error.message : String(error)}; known: ${usage}`]);
  }
  throw new ConfigurationError([`known: ${usage}`]);
}

async function main(): Promise<void> {
  const wanted = readArguments();
  loadStackEnvironment();
  const config = loadConfig(environment(), 'processes');
  const platform = await createPlatform({ ...config, LOG_LEVEL: 'warn' }, 'rebuild', needsOf('processes'));
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (isStopped = true));
  try {
    await prepareTemporal(config);
    const isDone = await ('patch' in wanted
      ? restart(platform, wanted.patch, () => isStopped)
      : rebuild(platform, wanted, () => isStopped));
    if (!isDone) {
      say('Stopped; run the same command again to continue.');
      process.exitCode = 130;
    }
  } finally {
    await closePlatform(platform);
  }
}

async function rebuild(platform: Platform, { isReplacing }: { isReplacing: boolean }, isStopped: () => boolean): Promise<boolean> {
  const startTime = Date.now();
  const totals = new Map<string, number>();
  const isDone = await rebuildProcesses(platform, recordProcesses(platform), {
    isReplacing,
    isStopped,
    report({ kind, startedAfter, started, present, failed }) {
      totals.set(kind, started);
      const rate = [...totals.values()].reduce((sum, count) => sum + count, 0) / ((Date.now() - startTime) / 1000);
      const from = startedAfter === 0 ? '' : `, resumed after ${startedAfter}`;
      const faults = failed === 0 ? '' : `, ${failed} FAILED (see above)`;
      say(`${kind}${from}: ${started} started, ${present} already running${faults} (${Math.round(rate)} a second)`);
    },
  });
  if (isDone) say('Every living record has its process.');
  return isDone;
}

async function restart(platform: Platform, patch: string, isStopped: () => boolean): Promise<boolean> {
  const { restarted, failed, isWhole } = await restartPatched(platform, recordProcesses(platform), patch, {
    isStopped,
    report: (progress) => say(`${patch}: ${progress.restarted} restarted${progress.failed === 0 ? '' : `, ${progress.failed} FAILED`}`),
  });
  if (isWhole) say(`${restarted} processes that had passed ${patch} were restarted.`);
  if (failed > 0) throw new Error(`${failed} processes could not be restarted (see above); run the same command again`);
  return isWhole;
}

function recordProcesses({ definitions }: Platform) {
  return definitions.filter((definition) => definition.type === 'record');
}

try {
  await main();
} catch (error) {
  process.stderr.write(`processes: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigurationError ? error.message : (error.stack ?? error.message);
}
