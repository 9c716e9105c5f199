import { Client } from 'pg';
import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../../../platform/logging/error-code.ts';
import { Children } from '../children.ts';
import { EmbeddedError, messageOf } from '../errors.ts';
import { LogFile } from '../log-file.ts';
import { ManagedProcess } from '../managed-process.ts';
import { identify, type ProcessIdentity, signal, waitUntilGone } from '../process-identity.ts';
import { type Progress, silentProgress } from '../progress.ts';
import { lastLine, runCommand } from '../scripts.ts';
import { canEnter, type OsUser, postgresBinaries, type PostgresBinaries, postgresUser, sharedDirectory } from './binaries.ts';

export type PostgresOptions = {
  /** The cluster is in `<dataDir>/postgres`. */
  dataDir: string;
  port: number;
  /** Passwords of the roles `postgres` and `registry_app`; random by default, for temporary data. */
  postgresPassword?: string;
  applicationPassword?: string;
  /** Those of the stack; a list of its own when absent. */
  children?: Children;
  progress?: Progress;
  /** False for temporary data: no fsync. */
  isDurable?: boolean;
};

export type RunningPostgres = {
  server: ManagedProcess;
  /** With the application's role, which owns no tables. */
  databaseUrl: string;
  /** The same for the stack's processes, over the server's socket if possible: a tenth faster for each statement. */
  socketDatabaseUrl: string;
  /** With the owner of the database and its tables. */
  migrationDatabaseUrl: string;
  stop: () => Promise<void>;
};

const host = '127.0.0.1';
const owner = 'postgres';
const applicationRole = 'registry_app';
const databaseName = 'registry';
const initdbTimeoutMs = 120_000;
/** Maximum length of a socket's path on all systems. */
const maxSocketPathLength = 100;

type Settled = Required<PostgresOptions>;

/**
 * Starts the embedded PostgreSQL on the loopback address, and creates the role `registry_app` and the database `registry` if missing. Keeps
 * existing data.
 * @throws {EmbeddedError} when this machine has no PostgreSQL, the data is unusable, or the server does not start
 */
export async function startPostgres(given: PostgresOptions): Promise<RunningPostgres> {
  const options: Settled = {
    isDurable: true,
    postgresPassword: randomBytes(24).toString('base64url'),
    applicationPassword: randomBytes(24).toString('base64url'),
    children: new Children(given.dataDir),
    progress: silentProgress,
    ...given,
  };
  const user = await postgresUser();
  const binaries = await postgresBinaries(user);
  const cluster = await openCluster(options, binaries, user);
  const server = new ManagedProcess(
    {
      name: 'postgres',
      command: binaries.postgres,
      args: ['-D', cluster, ...settings(options, cluster).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' },
      cwd: cluster,
      user,
      log: new LogFile(join(options.dataDir, 'logs', 'postgres.log')),
      // A fast shutdown: open transactions are rolled back, the data is written.
      stopSignal: 'SIGINT',
      stopDeadlineMs: 15_000,
      ready: () => isAnswering(url(owner, options.postgresPassword, options.port, 'postgres')),
      readyDeadlineMs: 180_000,
      prepare: () => endOrphan(cluster, options.progress),
      explain: (output) => explain(output, options.port),
    },
    options.children,
    options.progress,
  );
  await server.start();
  try {
    await prepareDatabase(options);
  } catch (error) {
    await server.stop();
    throw error instanceof EmbeddedError
      ? error
      : new EmbeddedError(`PostgreSQL runs, but its database cannot be prepared: ${messageOf(error)}`, { cause: error });
  }
  const databaseUrl = url(applicationRole, options.applicationPassword, options.port, databaseName);
  return {
    server,
    databaseUrl,
    // The socket may be missing or unreachable for this user.
    socketDatabaseUrl: existsSync(socketPath(cluster, options.port)) ? overSocket(databaseUrl, cluster) : databaseUrl,
    migrationDatabaseUrl: url(owner, options.postgresPassword, options.port, databaseName),
    stop: () => server.stop(),
  };
}

function settings({ port, isDurable }: Settled, cluster: string): [string, string][] {
  const always: [string, string][] = [
    ['port', String(port)],
    ['listen_addresses', host],
    // The cluster's own folder, which no other user can enter.
    ['unix_socket_directories', Buffer.byteLength(socketPath(cluster, port)) <= maxSocketPathLength ? asListed(cluster) : ''],
    ['max_connections', '200'],
    // Memory is taken only as it fills; a million certificates fit in.
    ['shared_buffers', '512MB'],
    ['timezone', 'UTC'],
    ['log_timezone', 'UTC'],
    ['log_line_prefix', '%m [%p] %q%u@%d '],
    // Otherwise the log contains the values of failed statements.
    ['log_min_error_statement', 'panic'],
    ['log_error_verbosity', 'terse'],
    ['log_parameter_max_length', '0'],
    ['logging_collector', 'off'],
  ];
  return isDurable ? always : [...always, ['fsync', 'off'], ['synchronous_commit', 'off'], ['full_page_writes', 'off']];
}

function socketPath(cluster: string, port: number): string {
  return join(cluster, `.s.PGSQL.${port}`);
}

/** Quotes an entry of a list setting. */
function asListed(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}

/** Returns an address with a folder as its host, for libpq and the driver. */
function overSocket(databaseUrl: string, folder: string): string {
  return databaseUrl.replace(`@${host}:`, `@${encodeURIComponent(folder)}:`);
}

function url(role: string, password: string, port: number, database: string): string {
  return `postgresql://${role}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

/** Returns the folder of the cluster, initialised if missing. An interrupted start leaves no cluster. */
async function openCluster(options: Settled, binaries: PostgresBinaries, user: OsUser | undefined): Promise<string> {
  const cluster = join(await placeFor(options, user), 'postgres');
  const version = existsSync(join(cluster, 'PG_VERSION')) ? readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim() : undefined;
  if (version !== undefined && version !== binaries.majorVersion) {
    throw new EmbeddedError(
      `${cluster} was written by PostgreSQL ${version} and this is ${binaries.majorVersion}; migrate the data with pg_dump, or set another DATA_DIR`,
    );
  }
  if (version === undefined) {
    options.progress.say('PostgreSQL: creating the database files ...');
    await initialise(cluster, options.postgresPassword, binaries, user);
  }
  return realpathSync(cluster);
}

/** Returns `dataDir`, or a folder under `/var/lib` when the server's OS user cannot enter it. A file in `dataDir` records the choice. */
async function placeFor({ dataDir, progress }: Settled, user: OsUser | undefined): Promise<string> {
  const note = join(dataDir, 'postgres.location');
  if (existsSync(note)) return readFileSync(note, 'utf8').trim();
  if (await canEnter(dataDir, user)) return dataDir;
  const place = join(sharedDirectory, `data-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(place, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new EmbeddedError(
      `the OS user "postgres" cannot enter ${dataDir} and ${place} cannot be created (${messageOf(error)}); set DATA_DIR to a folder that it can enter`,
    );
  }
  // Root's umask may be strict; only the cluster must be closed to others.
  chmodSync(sharedDirectory, 0o755);
  chmodSync(place, 0o755);
  writeFileSync(note, `${place}\n`);
  progress.say(`PostgreSQL: the OS user "postgres" cannot enter ${dataDir}, so the database files go to ${place}`);
  return place;
}

async function initialise(cluster: string, password: string, binaries: PostgresBinaries, user: OsUser | undefined): Promise<void> {
  const unfinished = `${cluster}.${process.pid}`;
  const passwordFile = `${unfinished}.password`;
  try {
    rmSync(unfinished, { recursive: true, force: true });
    mkdirSync(unfinished, { mode: 0o700 });
    writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
    if (user) for (const path of [unfinished, passwordFile]) chownSync(path, user.uid, user.gid);
    const args = [
      `--pgdata=${unfinished}`,
      `--username=${owner}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      // The same sorting and case rules on every machine.
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ];
    const result = await runCommand(binaries.initdb, args, {
      cwd: '/',
      env: { LC_ALL: 'C', PATH: '/usr/bin:/bin', TZ: 'UTC' },
      timeout: initdbTimeoutMs,
      ...user,
    });
    if (result.code !== 0) throw new EmbeddedError(`PostgreSQL could not create its files in ${cluster}: ${lastLine(result.output)}`);
    renameSync(unfinished, cluster);
  } finally {
    rmSync(passwordFile, { force: true });
    rmSync(unfinished, { recursive: true, force: true });
  }
}

async function isAnswering(connectionString: string): Promise<boolean> {
  const client = new Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return true;
  } catch (error) {
    // A wrong password is final.
    if (errorCode(error) === '28P01')
      throw new EmbeddedError('PostgreSQL refuses the password of secrets.json: it belongs to other database files');
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function prepareDatabase(options: Settled): Promise<void> {
  const client = new Client({ connectionString: url(owner, options.postgresPassword, options.port, 'postgres') });
  // If the server ends between two statements, the next one fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rowCount: roles } = await client.query('select 1 from pg_roles where rolname = $1', [applicationRole]);
    const verb = roles === 0 ? 'create' : 'alter';
    await client.query(
      `${verb} role ${applicationRole} login nosuperuser nocreatedb nocreaterole password ${client.escapeLiteral(options.applicationPassword)}`,
    );
    const { rowCount: databases } = await client.query('select 1 from pg_database where datname = $1', [databaseName]);
    if (databases === 0) await client.query(`create database ${databaseName} owner ${owner}`);
  } finally {
    await client.end();
  }
}

function explain(output: string, port: number): string | undefined {
  if (/could not bind|Address already in use/.test(output)) return `port ${port} is in use; set POSTGRES_PORT to a free port`;
  if (/No space left on device/.test(output)) return 'the disk is full';
  if (/could not map anonymous shared memory|could not create shared memory/.test(output))
    return 'the system has no shared memory left; free some memory or set DATABASE_URL';
  return undefined;
}

const orphanGraceMs = 15_000;

/**
 * Cleans up after a killed server, which leaves `postmaster.pid` and its socket's lock. If the process id belongs to another program,
 * PostgreSQL would refuse to start, so the files are deleted. If the old server still runs, it is stopped first. While its processes run,
 * the files stay, because PostgreSQL needs them.
 */
async function endOrphan(cluster: string, progress: Progress): Promise<void> {
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
