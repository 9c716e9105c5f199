/**
 * `npm run processes:rebuild`: starts the missing process of every active record, for a lost or new Temporal.
 * `npm run processes:rebuild -- --restart`: restarts each record's process, for a release that changes the shape of the workflows. Both may
 * be interrupted (Ctrl-C) and resume at the next run.
 */
import { prepareTemporal } from '../worker/prepare-temporal.ts';
import { ConfigurationError, loadConfig, loadStackEnvironment } from './config.ts';
import { closePlatform, createPlatform } from './create-platform.ts';
import { rebuildProcesses } from './platform/workflows/rebuild.ts';

const say = (line: string) => process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const options = process.argv.slice(2);
  const isReplacing = options.includes('--restart');
  const unknown = options.find((option) => option !== '--restart');
  if (unknown !== undefined) throw new ConfigurationError([`unknown option "${unknown}"; known: --restart`]);
  loadStackEnvironment();
  const config = loadConfig();
  const platform = await createPlatform({ ...config, LOG_LEVEL: 'warn' }, 'rebuild');
  let isStopped = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void (isStopped = true));
  try {
    await prepareTemporal(config);
    const startTime = Date.now();
    const totals = new Map<string, number>();
    const isDone = await rebuildProcesses(
      platform,
      platform.definitions.filter((definition) => definition.type === 'record'),
      {
        isReplacing,
        isStopped: () => isStopped,
        report({ kind, startedAfter, started, present, failed }) {
          totals.set(kind, started);
          const rate = [...totals.values()].reduce((sum, count) => sum + count, 0) / ((Date.now() - startTime) / 1000);
          const from = startedAfter === 0 ? '' : `, resumed after ${startedAfter}`;
          const faults = failed === 0 ? '' : `, ${failed} FAILED (see above)`;
          say(`${kind}${from}: ${started} started, ${present} already running${faults} (${Math.round(rate)} a second)`);
        },
      },
    );
    say(isDone ? 'Every living record has its process.' : 'Stopped; run the same command again to continue.');
    if (!isDone) process.exitCode = 130;
  } finally {
    await closePlatform(platform);
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`processes:rebuild: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error instanceof ConfigurationError ? error.message : (error.stack ?? error.message);
}
