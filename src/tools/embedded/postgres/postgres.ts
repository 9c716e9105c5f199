import { Client } from 'pg';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Children } from '../children.ts';
import { codeOf, EmbeddedError, messageOf } from '../errors.ts';
import { LogFile } from '../log-file.ts';
import { ManagedProcess } from '../managed-process.ts';
import { type Progress, silentProgress } from '../progress.ts';
import { lastLine, runCommand } from '../run-command.ts';
import { canEnter, type OsUser, postgresBinaries, type PostgresBinaries, postgresUser, sharedDirectory } from './binaries.ts';
import { endOrphan } from './orphan.ts';

export type PostgresOptions = {
  /** The cluster is made in `<dataDir>/postgres`. */
  dataDir: string;
  port: number;
  /** Of the roles `postgres` and `registry_app`; random when absent, which only data that is thrown away can do with. */
  postgresPassword?: string;
  applicationPassword?: string;
  /** Those of the stack; a list of its own when absent. */
  children?: Children;
  progress?: Progress;
  /** False for data that is thrown away: no fsync, so that tests do not wait for the disk. */
  isDurable?: boolean;
};

export type RunningPostgres = {
  server: ManagedProcess;
  /** The application's role, which owns nothing. */
  databaseUrl: string;
  /** The same for the processes of the stack: over the server's socket where there can be one, a tenth cheaper for each statement. */
  socketDatabaseUrl: string;
  /** The owner of the database and its tables. */
  migrationDatabaseUrl: string;
  stop: () => Promise<void>;
};

const host = '127.0.0.1';
const owner = 'postgres';
const applicationRole = 'registry_app';
const databaseName = 'registry';
const initdbTimeoutMs = 120_000;
/** The least that systems allow the path of a socket, with room to spare. */
const longestSocketPath = 100;

type Settled = Required<PostgresOptions>;

/**
 * Starts the embedded PostgreSQL on the loopback address and makes the role `registry_app` and the database `registry` where they are
 * missing. Data written by an earlier start, also by one that was killed, is kept.
 * @throws {EmbeddedError} when there is no PostgreSQL for this machine, the data cannot be used, or the server does not start.
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
    // Also where the path is short enough there may be none, or one that this user cannot reach.
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
    ['unix_socket_directories', Buffer.byteLength(socketPath(cluster, port)) <= longestSocketPath ? asListed(cluster) : ''],
    ['max_connections', '200'],
    // Memory that is taken only as it fills; a million certificates are verified as fast as a thousand while what is asked for fits in.
    ['shared_buffers', '512MB'],
    ['timezone', 'UTC'],
    ['log_timezone', 'UTC'],
    ['log_line_prefix', '%m [%p] %q%u@%d '],
    // A refused statement would be written down with its values: e-mails, names, hashes.
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

/** As one entry of a setting that is a list. */
function asListed(path: string): string {
  return `"${path.replaceAll('"', '""')}"`;
}

/** An address whose host is a folder, as libpq and the driver read it. */
function overSocket(databaseUrl: string, folder: string): string {
  return databaseUrl.replace(`@${host}:`, `@${encodeURIComponent(folder)}:`);
}

function url(role: string, password: string, port: number, database: string): string {
  return `postgresql://${role}:${encodeURIComponent(password)}@${host}:${port}/${database}`;
}

/** The folder of the cluster, made and initialised when missing; a start that was cut off leaves nothing that counts. */
async function openCluster(options: Settled, binaries: PostgresBinaries, user: OsUser | undefined): Promise<string> {
  const cluster = join(await placeFor(options, user), 'postgres');
  const version = existsSync(join(cluster, 'PG_VERSION')) ? readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim() : undefined;
  if (version !== undefined && version !== binaries.majorVersion) {
    throw new EmbeddedError(
      `${cluster} was written by PostgreSQL ${version} and this is ${binaries.majorVersion}; take the data over with pg_dump, or set another DATA_DIR`,
    );
  }
  if (version === undefined) {
    options.progress.say('PostgreSQL: making the database files ...');
    await initialise(cluster, options.postgresPassword, binaries, user);
  }
  return realpathSync(cluster);
}

/** `dataDir`, or a folder under `/var/lib` when the server's OS user cannot enter it; which one is noted in `dataDir`. */
async function placeFor({ dataDir, progress }: Settled, user: OsUser | undefined): Promise<string> {
  const note = join(dataDir, 'postgres.location');
  if (existsSync(note)) return readFileSync(note, 'utf8').trim();
  if (await canEnter(dataDir, user)) return dataDir;
  const place = join(sharedDirectory, `data-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(place, { recursive: true, mode: 0o755 });
  } catch (error) {
    throw new EmbeddedError(
      `the OS user "postgres" cannot enter ${dataDir} and ${place} cannot be made (${messageOf(error)}); set DATA_DIR to a folder it can enter`,
    );
  }
  // Root's umask may be strict; only the cluster itself is to be closed to others.
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
      // Sorting and case rules that are the same on every machine, whatever locales it has.
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
    if (result.code !== 0) throw new EmbeddedError(`PostgreSQL could not make its files in ${cluster}: ${lastLine(result.output)}`);
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
    // A wrong password will not get better by waiting.
    if (codeOf(error) === '28P01')
      throw new EmbeddedError('PostgreSQL refuses the password kept in secrets.json: it does not belong to these database files');
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function prepareDatabase(options: Settled): Promise<void> {
  const client = new Client({ connectionString: url(owner, options.postgresPassword, options.port, 'postgres') });
  // Should the server end between two statements, the next one says so.
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
  if (/could not bind|Address already in use/.test(output)) return `port ${port} is taken; set POSTGRES_PORT to a free port`;
  if (/No space left on device/.test(output)) return 'the disk is full';
  if (/could not map anonymous shared memory|could not create shared memory/.test(output))
    return 'the system gives it no shared memory; free some memory or set DATABASE_URL';
  return undefined;
}
