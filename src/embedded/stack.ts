import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseUrl, ConfigurationError, environment, loadConfig } from '../config.ts';
import type { Variables } from '../config.ts';
import { childEnvironment } from './child-environment.ts';
import { openDataDirectory } from './data-directory.ts';
import { EmbeddedError } from './errors.ts';
import { DataDirectoryLock } from './lock.ts';
import { LogFile } from './log-file.ts';
import { Part } from './part.ts';
import { checkPorts, freePorts } from './ports.ts';
import { startPostgres } from './postgres.ts';
import { silentProgress } from './progress.ts';
import type { Progress } from './progress.ts';
import { Roster } from './roster.ts';
import { apiEnvironment, apiFlags, nodeFlags, programs, projectDirectory, runScript } from './scripts.ts';
import type { Programs } from './scripts.ts';
import { loadSecrets } from './secrets.ts';
import { findTemporalCli } from './temporal/find-cli.ts';
import { startTemporal } from './temporal/start-temporal.ts';

export { startPostgres } from './postgres.ts';
export { startTemporal } from './temporal/start-temporal.ts';

export type StackOptions = {
  /** The variables of `src/config.ts` and the rest of the environment; this process's own when absent. */
  env?: Record<string, string | undefined>;
  progress?: Progress;
  /** False leaves the database as it is. */
  migrate?: boolean;
  /** Gives up and stops what has been started so far. */
  abort?: AbortSignal;
  /** Other programs in place of the project's own. */
  programs?: Partial<Programs>;
};

/** `postgres`, `temporal` and `bank` are absent where a server of the user's is used instead. */
export type StackParts = { postgres?: Part; temporal?: Part; bank?: Part; worker: Part; api: Part };

export type Stack = {
  config: Variables;
  dataDir: string;
  baseUrl: string;
  databaseUrl: string;
  migrationDatabaseUrl: string;
  temporalAddress: string;
  temporalUiUrl: string | undefined;
  bankUrl: string;
  /** `isNew` at the start that created it; later the password may have been changed. */
  administrator: { email: string; password: string; isNew: boolean };
  parts: StackParts;
  /** What a further process of the stack (a second worker, a script) is to be started with. */
  env: Record<string, string>;
  /** Stops in order: api, worker, bank, temporal, postgres; `force` kills at once. */
  stop: (options?: { force?: boolean }) => Promise<void>;
};

/**
 * Starts everything that `npm start` runs and waits until it serves: PostgreSQL and Temporal (unless DATABASE_URL or
 * TEMPORAL_ADDRESS name others), migrations, the first administrator, the bank simulator (unless BANK_URL names a bank), a
 * worker, the API. What ends by itself is started again; `stop` ends all.
 * @throws {EmbeddedError} one line saying what is wrong and what to do; nothing stays running then.
 * @throws {ConfigurationError} when a variable cannot be used.
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { env = environment(), progress = silentProgress, abort } = options;
  refuseProduction(env);
  const config = loadConfig(env);
  const dataDir = openDataDirectory(config.DATA_DIR);
  const lock = await DataDirectoryLock.take(dataDir, baseUrl(config), progress);
  const roster = new Roster(lock);
  const started: Part[] = [];
  const stop = async ({ force = false } = {}): Promise<void> => {
    for (const part of started.toReversed()) await part.stop({ force });
    roster.close();
    lock.release();
  };
  const giveUp = () => void stop();
  abort?.addEventListener('abort', giveUp);
  try {
    return await startParts({ ...options, env, progress }, { ...config, DATA_DIR: dataDir }, roster, started, stop);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    abort?.removeEventListener('abort', giveUp);
  }
}

/** The embedded run says what takes its place in production, and what that would still lack. */
function refuseProduction(env: Record<string, string | undefined>): void {
  if (env['NODE_ENV'] !== 'production') return;
  const advice =
    'NODE_ENV is production: `npm start` runs embedded servers, which are never used in production. Run `npm run migrate`, then `npm run start:api` and `npm run start:worker`';
  try {
    loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new EmbeddedError(`${advice}; ${error.message}`);
  }
  throw new EmbeddedError(advice);
}

type Settled = StackOptions & { env: Record<string, string | undefined>; progress: Progress };

async function startParts(options: Settled, config: Variables, roster: Roster, started: Part[], stop: Stack['stop']): Promise<Stack> {
  const { env, progress, abort } = options;
  const dataDir = config.DATA_DIR;
  const paths = { ...programs, ...options.programs };
  const log = (name: string) => new LogFile(join(dataDir, 'logs', `${name}.log`));
  await checkPorts(wantedPorts(config));
  const secrets = loadSecrets(dataDir);
  const cliPath = config.TEMPORAL_ADDRESS === undefined ? await findTemporalCli({ dataDir, env, progress, abort }) : undefined;

  const postgres =
    config.DATABASE_URL === undefined
      ? await announced('PostgreSQL', `port ${config.POSTGRES_PORT}`, options, () =>
          startPostgres({ dataDir, port: config.POSTGRES_PORT, ...secrets, log: log('postgres'), guardian: roster, progress }),
        )
      : undefined;
  if (postgres) started.push(postgres.part);
  const databaseUrl = postgres?.databaseUrl ?? config.DATABASE_URL ?? '';
  const migrationDatabaseUrl = postgres?.migrationDatabaseUrl ?? config.MIGRATION_DATABASE_URL ?? databaseUrl;
  const bankUrl = config.BANK_URL ?? `http://127.0.0.1:${config.BANK_SIMULATOR_PORT}`;
  const temporalUiUrl = config.TEMPORAL_UI_URL ?? (cliPath === undefined ? undefined : `http://localhost:${config.TEMPORAL_UI_PORT}`);
  const temporalAddress = config.TEMPORAL_ADDRESS ?? `127.0.0.1:${config.TEMPORAL_PORT}`;
  const childEnv = childEnvironment(env, config, secrets, {
    databaseUrl: postgres?.socketDatabaseUrl ?? databaseUrl,
    migrationDatabaseUrl,
    temporalAddress,
    temporalUiUrl,
    bankUrl,
  });

  if (options.migrate ?? true) {
    await announced('Database', 'migrations and catalogue', options, () =>
      runScript('the migration', paths.migrate, childEnv, log('migrate'), abort),
    );
  }
  const said = await runScript('creating the first administrator', paths.firstAdministrator, childEnv, log('administrator'), abort);

  const temporal =
    cliPath === undefined
      ? undefined
      : await announced('Temporal', `port ${config.TEMPORAL_PORT}, UI on ${config.TEMPORAL_UI_PORT}`, options, () =>
          startTemporal({
            dataDir,
            cliPath,
            port: config.TEMPORAL_PORT,
            uiPort: config.TEMPORAL_UI_PORT,
            dbFile: join(dataDir, 'temporal', 'temporal.db'),
            namespace: config.TEMPORAL_NAMESPACE,
            env,
            log: log('temporal'),
            guardian: roster,
            progress,
          }),
        );
  if (temporal) started.push(temporal.part);

  const startProgram = async (name: 'bank' | 'worker' | 'api', stopDeadlineMs: number): Promise<Part> => {
    const part = new Part(
      {
        name,
        command: process.execPath,
        args: [...nodeFlags, ...(name === 'api' ? apiFlags : []), paths[name]],
        env: name === 'api' ? { ...apiEnvironment, ...childEnv } : childEnv,
        cwd: projectDirectory,
        log: log(name),
        stopSignal: 'SIGTERM',
        stopDeadlineMs,
        ready: 'message',
        readyDeadlineMs: 120_000,
      },
      roster,
      progress,
    );
    started.push(part);
    await part.start();
    return part;
  };
  const bank =
    config.BANK_URL === undefined
      ? await announced('Bank simulator', `port ${config.BANK_SIMULATOR_PORT}`, options, () => startProgram('bank', 5000))
      : undefined;
  const worker = await announced('Worker', config.WORKER_QUEUES.join(', '), options, () => startProgram('worker', 20_000));
  const api = await announced('API', `port ${config.PORT}`, options, () => startProgram('api', 20_000));

  return {
    config,
    dataDir,
    baseUrl: baseUrl(config),
    databaseUrl,
    migrationDatabaseUrl,
    temporalAddress,
    temporalUiUrl,
    bankUrl,
    administrator: {
      email: config.ADMIN_EMAIL,
      password: config.ADMIN_PASSWORD ?? secrets.administratorPassword,
      isNew: /^administrator /m.test(said),
    },
    parts: {
      ...(postgres && { postgres: postgres.part }),
      ...(temporal && { temporal: temporal.part }),
      ...(bank && { bank }),
      worker,
      api,
    },
    env: childEnv,
    stop,
  };
}

function wantedPorts(config: Variables) {
  return [
    { variable: 'PORT', port: config.PORT, server: 'API', host: config.HOST },
    ...(config.DATABASE_URL === undefined ? [{ variable: 'POSTGRES_PORT', port: config.POSTGRES_PORT, server: 'PostgreSQL' }] : []),
    ...(config.TEMPORAL_ADDRESS === undefined
      ? [
          { variable: 'TEMPORAL_PORT', port: config.TEMPORAL_PORT, server: 'Temporal' },
          { variable: 'TEMPORAL_UI_PORT', port: config.TEMPORAL_UI_PORT, server: 'Temporal UI' },
        ]
      : []),
    ...(config.BANK_URL === undefined
      ? [{ variable: 'BANK_SIMULATOR_PORT', port: config.BANK_SIMULATOR_PORT, server: 'bank simulator' }]
      : []),
  ];
}

async function announced<Result>(what: string, detail: string, { progress, abort }: Settled, step: () => Promise<Result>): Promise<Result> {
  abort?.throwIfAborted();
  progress.tick(`${what}: starting ...`);
  const startedAt = Date.now();
  const result = await step();
  progress.say(`${what}: ${detail} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
  return result;
}

export type ThrowawayOptions = Omit<StackOptions, 'env'> & {
  /** Variables beside the free ports and the temporary data directory; they win over this process's own. */
  env?: Record<string, string | undefined>;
};

/**
 * A stack for tests and benchmarks: free ports, a temporary data directory that goes with it, and the Temporal program of the
 * project's own data directory, so that it is not downloaded or built anew.
 */
export async function startThrowawayStack(options: ThrowawayOptions = {}): Promise<Stack> {
  const own = { ...environment(), ...options.env };
  const ports = await freePorts(5);
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-stack-'));
  // PostgreSQL refuses to run as root, and the user it runs as instead must be able to enter its folder.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const cliPath = await findTemporalCli({
      dataDir: resolve(projectDirectory, '.data'),
      env: own,
      progress: options.progress ?? silentProgress,
      abort: options.abort,
    });
    const names = ['PORT', 'POSTGRES_PORT', 'TEMPORAL_PORT', 'TEMPORAL_UI_PORT', 'BANK_SIMULATOR_PORT'];
    const env = {
      ...own,
      ...Object.fromEntries(names.map((name, index) => [name, String(ports[index])])),
      BASE_URL: undefined,
      DATABASE_URL: undefined,
      MIGRATION_DATABASE_URL: undefined,
      TEMPORAL_ADDRESS: undefined,
      BANK_URL: undefined,
      TEMPORAL_CLI_PATH: cliPath,
      DATA_DIR: dataDir,
      ...options.env,
    };
    const stack = await startStack({ ...options, env });
    return {
      ...stack,
      stop: async (how) => {
        await stack.stop(how);
        remove();
      },
    };
  } catch (error) {
    remove();
    throw error;
  }
}
