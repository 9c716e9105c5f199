import { Connection } from '@temporalio/client';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { searchAttributes } from '../../../../workflows/contracts/process.contract.ts';
import { Children } from '../children.ts';
import { LogFile } from '../log-file.ts';
import { ManagedProcess } from '../managed-process.ts';
import { isAnswering } from '../ports.ts';
import { type Progress, silentProgress } from '../progress.ts';

export type TemporalOptions = {
  /** The log goes to `<dataDir>/logs/temporal.log`. */
  dataDir: string;
  /** Absolute path of the program, from `findTemporalCli`. */
  cliPath: string;
  port: number;
  /** Without it there is no UI. */
  uiPort?: number;
  /** By default data is in memory only. */
  dbFile?: string;
  namespace?: string;
  env: Record<string, string | undefined>;
  /** Those of the stack; a list of its own when absent. */
  children?: Children;
  progress?: Progress;
};

export type RunningTemporal = {
  server: ManagedProcess;
  /** host:port */
  address: string;
  stop: () => Promise<void>;
};

const host = '127.0.0.1';

/** Overrides defaults for clusters, which cost time in each step and limit the rate (docs/performance.md). */
const dynamicConfig = {
  'history.transferProcessorMaxPollRPS': 2000,
  'history.timerProcessorMaxPollRPS': 2000,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.namespaceRPS.visibility': 2000,
  'matching.persistenceMaxQPS': 20_000,
} as const;

/**
 * Starts the embedded Temporal with the search attributes of the workflows and waits until its namespace answers.
 * @throws {EmbeddedError} when it does not start
 */
export async function startTemporal(options: TemporalOptions): Promise<RunningTemporal> {
  const address = `${host}:${options.port}`;
  const namespace = options.namespace ?? 'default';
  if (options.dbFile !== undefined) mkdirSync(dirname(options.dbFile), { recursive: true });
  const server = new ManagedProcess(
    {
      name: 'temporal',
      command: options.cliPath,
      args: startArguments(options, namespace),
      // The program reads variables of its own with that prefix; those of a client must not configure the server.
      env: Object.fromEntries(Object.entries(options.env).filter(([name]) => !name.startsWith('TEMPORAL_'))),
      cwd: '/',
      log: new LogFile(join(options.dataDir, 'logs', 'temporal.log')),
      stopSignal: 'SIGTERM',
      stopDeadlineMs: 15_000,
      // Check the port first: a client that finds it closed waits a second before its next attempt.
      ready: async () => (await isAnswering(options.port)) && isServing(address, namespace),
      readyDeadlineMs: 180_000,
      explain: (output) => {
        if (/address already in use/i.test(output))
          return `port ${options.port} or that of its UI is in use; set TEMPORAL_PORT and TEMPORAL_UI_PORT to free ports`;
        if (/no space left|disk is full/i.test(output)) return 'the disk is full';
        return undefined;
      },
    },
    options.children ?? new Children(options.dataDir),
    options.progress ?? silentProgress,
  );
  await server.start();
  return {
    server,
    address,
    stop: () => server.stop(),
  };
}

function startArguments({ port, uiPort, dbFile }: TemporalOptions, namespace: string): string[] {
  return [
    'server',
    'start-dev',
    '--ip',
    host,
    '--port',
    String(port),
    '--log-level',
    'warn',
    '--log-format',
    'json',
    ...(uiPort === undefined ? ['--headless'] : ['--ui-ip', host, '--ui-port', String(uiPort)]),
    ...(dbFile === undefined
      ? []
      : ['--db-filename', dbFile, '--sqlite-pragma', 'journal_mode=WAL', '--sqlite-pragma', 'synchronous=NORMAL']),
    ...(namespace === 'default' ? [] : ['--namespace', namespace]),
    ...Object.entries(dynamicConfig).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
    ...Object.values(searchAttributes).flatMap(({ name, type }) => [
      '--search-attribute',
      `${name}=${type === 'DATETIME' ? 'Datetime' : 'Keyword'}`,
    ]),
  ];
}

/** Returns whether namespace and search attributes exist; the port opens earlier. */
async function isServing(address: string, namespace: string): Promise<boolean> {
  try {
    const connection = await Connection.connect({ address, connectTimeout: '2s' });
    try {
      const { customAttributes } = await connection.withDeadline(Date.now() + 2000, () =>
        connection.operatorService.listSearchAttributes({ namespace }),
      );
      return Object.values(searchAttributes).every(({ name }) => customAttributes !== undefined && name in customAttributes);
    } finally {
      await connection.close();
    }
  } catch {
    return false;
  }
}
