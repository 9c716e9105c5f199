/**
 * The supervisor behind `npm start` and `npm run dev`. `--no-migrate` skips the migration. `--dev` restarts the API, the worker and the
 * simulators when their source changes. `--inspect` opens the debugger ports of the API and the worker.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, environment, loadConfig } from '../../registry/config.ts';
import { exitWithParent } from '../../platform/runtime/exit-with-parent.ts';
import { describeStack } from './describe-stack.ts';
import { EmbeddedError, messageOf } from './errors.ts';
import { LogFile } from './log-file.ts';
import { streamProgress } from './progress.ts';
import { reloadOnChange } from './reload.ts';
import { inspectorPorts, programs, projectDirectory, runScript } from './scripts.ts';
import { type Stack, startStack } from './stack.ts';
import { serveWeb } from '../web/dev.ts';

// One Ctrl-C arrives several times (terminal, npm, bootstrap); only a later signal is a second one.
const secondSignalAfterMs = 1000;

const options = new Set(process.argv.slice(2));
const isDev = options.has('--dev');
const inspect = options.has('--inspect');
const env = environment();
const progress = streamProgress(process.stdout);
const starting = new AbortController();
let stack: Stack | undefined;
let reloading: { close: () => void } | undefined;
let web: { urls: string[]; close: () => Promise<void> } | undefined;
let stopping: Promise<void> | undefined;
let stoppingSince = 0;

function stop(): Promise<void> {
  stopping ??= (async () => {
    stoppingSince = Date.now();
    progress.say('Stopping ... (Ctrl-C again kills the processes)');
    starting.abort();
    reloading?.close();
    await web?.close();
    await stack?.stop();
    if (stack) progress.say('Stopped.');
  })();
  return stopping;
}

async function onSignal(): Promise<void> {
  if (!stopping) {
    await stop();
    if (stack) process.exit(0);
  } else if (Date.now() - stoppingSince > secondSignalAfterMs) {
    await stack?.stop({ force: true });
    process.exit(130);
  }
}

function explain(error: unknown): void {
  if (error instanceof EmbeddedError || error instanceof ConfigurationError) {
    process.stderr.write(`${error.message}\n`);
    return;
  }
  const directory = join(env['DATA_DIR'] ?? '.data', 'logs');
  const path = join(directory, 'start.log');
  mkdirSync(directory, { recursive: true });
  writeFileSync(path, `${new Date().toISOString()} ${error instanceof Error ? error.stack : String(error)}\n`, { flag: 'a' });
  process.stderr.write(`the start failed: ${messageOf(error)} (details: ${path})\n`);
}

function watchSource(running: Stack): Promise<{ close: () => void }> {
  const log = new LogFile(join(running.dataDir, 'logs', 'migrate.log'));
  progress.say('Watching src, workflows, activities and worker: what is changed there is started again.');
  return reloadOnChange({
    projectDirectory,
    processes: running.processes,
    migrate: async () => void (await runScript('the migration', [programs.registry, 'migrate'], running.env, log)),
    progress,
  });
}

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void onSignal());
exitWithParent(stop);
// A closed terminal must not end the supervisor before it has stopped its children.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

try {
  stack = await startStack({ env, progress, abort: starting.signal, migrate: !options.has('--no-migrate'), inspect });
  const lines = describeStack(loadConfig(stack.env));
  progress.say(
    `\nThe registry is running.\n\n${lines.join('\n')}\n\nCtrl-C stops all processes; the data is kept. npm run status shows this again.\n`,
  );
  if (inspect) progress.say(`Debuggers: the API on port ${inspectorPorts.api}, the worker on port ${inspectorPorts.worker}.`);
  if (isDev) {
    reloading = await watchSource(stack);
    web = await serveWeb(stack.baseUrl);
    progress.say(`With hot reload: ${web.urls.join(', ')}`);
  }
} catch (error) {
  if (stopping) progress.say('Stopped during the start.');
  else explain(error);
  process.exit(stopping ? 130 : 1);
}
