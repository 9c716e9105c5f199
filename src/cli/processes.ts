import { type Arguments, type Command, UsageError } from './command.ts';
import { prepareTemporal } from '../../worker/prepare-temporal.ts';
import { environment, loadConfig } from '../registry/config.ts';
import { closePlatform, createPlatform } from '../registry/create-platform.ts';
import type { Platform } from '../platform/platform.ts';
import { needsOf } from '../registry/process-needs.ts';
import { rebuildProcesses, restartPatched } from '../platform/workflows/rebuild.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

export const processes: Command = {
  usage: 'processes rebuild [--restart] | processes restart --patched <name of a change in workflows/patches.ts>',
  summary: 'starts missing processes, or restarts those that passed a change',
  help: `rebuild starts the missing process of every active record, for a lost or new Temporal. With --restart it restarts each record's
process, for a release that changes the shape of the workflows.
restart --patched restarts the processes that passed a change of their workflow, before or after a rollback to a release without it.
Ctrl-C stops it; the next run goes on.`,
  options: { restart: { type: 'boolean' }, patched: { type: 'string' } },
  async run(given) {
    const wanted = whatIsWanted(given);
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
  },
};

/** @throws {UsageError} */
function whatIsWanted({ values, positionals }: Arguments): { isReplacing: boolean } | { patch: string } {
  const { restart: isReplacing = false, patched } = values;
  const [what] = positionals.length === 1 ? positionals : [];
  if (what === 'rebuild' && patched === undefined) return { isReplacing: isReplacing === true };
  // The name becomes a part of a query of Temporal.
  if (what === 'restart' && isReplacing === false && typeof patched === 'string' && /^[a-z0-9-]+$/.test(patched)) return { patch: patched };
  throw new UsageError(`usage: ${processes.usage}`);
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
