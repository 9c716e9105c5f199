import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { baseUrl, ConfigurationError, describeVariables, environment, loadConfig } from '../../registry/config.ts';
import { Children } from './children.ts';
import { EmbeddedError } from './errors.ts';
import { lockDataDirectory, openDataDirectory } from './lock.ts';
import type { ManagedProcess } from './managed-process.ts';
import { freePorts } from './ports.ts';
import { silentProgress } from './progress.ts';
import { projectDirectory } from './scripts.ts';
import { portVariables, type Stack, type StackOptions, startProcesses, withPortBase } from './start-processes.ts';
import { findTemporalCli } from './temporal/find-cli.ts';

/** Quotes of an environment file. */
const quotes = ["'", '"', '`'] as const;

function environmentFile(dataDir: string): string {
  return join(dataDir, 'stack.env');
}

/** Writes the variables of the stack's processes as a file for `node --env-file` (mode 600): scripts and debuggers use the same servers. */
function writeEnvironmentFile(dataDir: string, env: Record<string, string>): void {
  const lines = describeVariables().flatMap(({ name }) => {
    const value = env[name];
    const quote = quotes.find((candidate) => value?.includes(candidate) === false);
    return value === undefined || value === '' || quote === undefined ? [] : [`${name}=${quote}${value}${quote}`];
  });
  writeFileSync(environmentFile(dataDir), `${lines.join('\n')}\n`, { mode: 0o600 });
}

export type { Stack } from './start-processes.ts';

/**
 * Starts all processes of `npm start` and waits until they are ready: PostgreSQL and Temporal (unless DATABASE_URL or TEMPORAL_ADDRESS name
 * others), migrations, the first administrator, a mail server (unless SMTP_URL names one), the bank simulator (unless BANK_URL names a bank), the messenger simulator (with a
 * BOT_TOKEN, unless BOT_API_URL names a messenger), the webhook receiver, a worker, the API. Restarts processes that end; `stop` ends all.
 * @throws {EmbeddedError} one line with problem and next action; no process stays running
 * @throws {ConfigurationError} when a variable is invalid
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const { progress = silentProgress, abort } = options;
  const env = withPortBase(options.env ?? environment());
  refuseProduction(env);
  const config = loadConfig(env);
  const dataDir = openDataDirectory(config.DATA_DIR);
  const unlock = await lockDataDirectory(dataDir, baseUrl(config), progress);
  const children = new Children(dataDir, options.isThrowaway);
  const started: ManagedProcess[] = [];
  const stop = async ({ force = false } = {}): Promise<void> => {
    for (const one of started.toReversed()) await one.stop({ force });
    children.close();
    rmSync(environmentFile(dataDir), { force: true });
    unlock();
  };
  const cancel = () => void stop();
  abort?.addEventListener('abort', cancel);
  try {
    const stack = await startProcesses({ ...options, env, progress }, { ...config, DATA_DIR: dataDir }, children, started, stop);
    writeEnvironmentFile(dataDir, stack.env);
    return stack;
  } catch (error) {
    await stop();
    throw error;
  } finally {
    abort?.removeEventListener('abort', cancel);
  }
}

/** Refuses production; the message names the commands to run instead and the missing variables. */
function refuseProduction(env: Record<string, string | undefined>): void {
  if (env['NODE_ENV'] !== 'production') return;
  const advice =
    'NODE_ENV is production: `npm start` runs embedded servers, which are not for production. Run `npm run registry -- migrate`, then `npm run start:api` and `npm run start:worker`';
  try {
    loadConfig(env);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new EmbeddedError(`${advice}; ${error.message}`);
  }
  throw new EmbeddedError(advice);
}

/** Variables of a stack that must not use the servers of its user. */
export const noOtherServers = {
  DATABASE_URL: undefined,
  MIGRATION_DATABASE_URL: undefined,
  TEMPORAL_ADDRESS: undefined,
  BANK_URL: undefined,
  BOT_API_URL: undefined,
} as const;

export type ThrowawayOptions = Omit<StackOptions, 'env'> & {
  /** Variables in addition to the free ports and the temporary data directory; they override this process's own. */
  env?: Record<string, string | undefined>;
};

/**
 * Starts a stack for tests and benchmarks: with free ports, a temporary data directory, and the Temporal program of the project's data
 * directory.
 */
export async function startThrowawayStack(options: ThrowawayOptions = {}): Promise<Stack> {
  const own = { ...environment(), ...options.env };
  const ports = await freePorts(portVariables.length);
  const dataDir = mkdtempSync(join(tmpdir(), 'registry-stack-'));
  // PostgreSQL may run as another user, who must be able to enter the folder.
  chmodSync(dataDir, 0o711);
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const cliPath = await findTemporalCli({
      dataDir: resolve(projectDirectory, '.data'),
      env: own,
      progress: options.progress ?? silentProgress,
      abort: options.abort,
    });
    const env = {
      ...own,
      ...Object.fromEntries(portVariables.map((name, index) => [name, String(ports[index])])),
      ...noOtherServers,
      BASE_URL: undefined,
      TEMPORAL_CLI_PATH: cliPath,
      DATA_DIR: dataDir,
      NODE_COMPILE_CACHE: own['NODE_COMPILE_CACHE'] ?? resolve(projectDirectory, '.data', 'compile-cache'),
      ...options.env,
    };
    const stack = await startStack({ ...options, env, isThrowaway: true });
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
