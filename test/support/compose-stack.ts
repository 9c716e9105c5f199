import { Client } from 'pg';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startPostgres } from '../../src/tools/embedded/postgres/postgres.ts';
import { projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { bundlePath } from '../../worker/bundle.ts';
import { startMailServer } from './outside-servers/mail-server.ts';
import { startS3Server } from './outside-servers/s3-server.ts';
import { temporalAddress } from './servers.ts';
import { waitFor } from './wait-for.ts';

export interface ComposeService {
  environment?: Record<string, string>;
  command?: string[];
  image?: string;
  build?: string;
  restart?: string;
  healthcheck?: { test?: string[]; disable?: boolean };
  logging?: { driver: string; options: Record<string, string> };
  mem_limit?: string;
  cpus?: number;
  pids_limit?: number;
  stop_grace_period?: string;
  depends_on?: Record<string, object>;
  ports?: string[];
  secrets?: (string | { source: string; target: string })[];
  configs?: { source: string; target: string }[];
}

export interface Compose {
  services: Record<string, ComposeService>;
  secrets: Record<string, { file: string }>;
  configs: Record<string, { file: string }>;
}

/** Creates the secrets of the compose file in a folder, as an operator does. */
export function makeComposeSecrets(folder: string): void {
  execFileSync('sh', [join(projectDirectory, 'ops/compose/make-secrets.sh'), folder]);
}

/** The variables of a service, with its secrets read from this folder in place of `/run/secrets`. */
export function environmentIn(folder: string, { environment = {} }: ComposeService): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value.replace('/run/secrets', folder)]));
}

/** The project's own services of a compose file, running as processes of this machine. */
export interface ComposeStack {
  /** Where a browser finds the API and the bank: by the ports that the file publishes. */
  baseUrl: string;
  bankUrl: string;
  /** As the containers reach each other: at addresses that a server on a container's own loopback does not answer. */
  insideHost: string;
  /** By a superuser. */
  databaseUrl: string;
  /** The content of a secret's file. */
  secret(name: string): string;
  /** What a service has written. */
  outputOf(service: string): string;
  stop(): Promise<void>;
}

/** Where the services run. */
export interface Surroundings {
  /** Makes a folder of this machine visible under the same path. */
  share(folder: string): void;
  /** Makes a folder the service's own. */
  own(folder: string): void;
  /** The line that runs a program with the service's rights, and its variables. */
  lineOf(command: readonly string[]): string[];
  env: Record<string, string>;
}

/** The checkout itself, with the Node that runs the tests. */
const checkout: Surroundings = {
  share: () => undefined,
  own: () => undefined,
  lineOf: (command) => [...command],
  env: { PATH: dirname(process.execPath) },
};

/**
 * Starts the services that the project's own image runs, each with its command and exactly its variables; only names of hosts, ports and
 * the data folder are mapped to this machine. PostgreSQL, Temporal, S3 and the mail server of the tests stand in for the foreign images.
 * @param surroundings the checkout, or a built image
 */
export async function startComposeStack(compose: Compose, surroundings = checkout): Promise<ComposeStack> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-compose-'));
  const running: { stop: () => Promise<unknown> }[] = [];
  const outputs = new Map<string, string>();
  const environments = new Map<string, Record<string, string>>();
  const stop = async () => {
    for (const one of running.toReversed()) await one.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  try {
    const [postgresPort = 0, apiPort = 0, otherApiPort = 0, bankPort = 0, ...metricsPorts] = await freePorts(12);
    const secrets = join(folder, 'secrets');
    makeComposeSecrets(secrets);
    const secret = (name: string) => readFileSync(join(secrets, name), 'utf8');
    const variables = serviceOf(compose, 'api-1').environment ?? {};
    const database = await startDatabase(secret, folder, postgresPort);
    running.push(database);
    // The files hold addresses of hosts too.
    for (const name of ['database_url', 'migration_database_url'])
      rewrite(join(secrets, name), secret(name).replace('postgres:5432', `127.0.0.1:${postgresPort}`));
    const temporal = await temporalAddress();
    const s3 = await startS3Server({
      directory: join(folder, 's3'),
      bucket: variables['S3_BUCKET'] ?? '',
      accessKeyId: secret('s3_access_key_id'),
      secretAccessKey: secret('s3_secret_access_key'),
    });
    running.push({ stop: s3.close });
    const mail = await startMailServer();
    running.push({ stop: () => new Promise((resolve) => mail.server.close(resolve)) });
    const insideHost = hostBesideLoopback();
    const addresses: [string, string][] = [
      ['temporal:7233', temporal],
      ['storage:9000', new URL(s3.endpoint).host],
      ['mail:1025', new URL(mail.url).host],
      // In place of the proxy, which test/embedded/proxies.test.ts runs; the first API answers without TLS.
      ['https://proxy', `http://${insideHost}:${apiPort}`],
      ['https://localhost:8443', `http://localhost:${apiPort}`],
      ['bank:8090', `${insideHost}:${bankPort}`],
      ['localhost:8090', `localhost:${bankPort}`],
    ];
    const mapped = (text: string) => addresses.reduce((result, [from, to]) => result.replaceAll(from, to), text);
    const environmentOf = (name: string) => {
      const dataDir = join(folder, name);
      mkdirSync(dataDir, { recursive: true });
      surroundings.own(dataDir);
      const given = Object.entries(environmentIn(secrets, serviceOf(compose, name))).map(([key, value]) => [key, mapped(value)] as const);
      const env: Record<string, string> = { ...surroundings.env, ...Object.fromEntries(given), DATA_DIR: dataDir };
      // The job of the compose file creates this namespace; the servers of the tests have `default`.
      if (env['TEMPORAL_NAMESPACE'] !== undefined) env['TEMPORAL_NAMESPACE'] = 'default';
      // Containers have ports of their own; processes of one machine share them.
      if (env['PORT'] !== undefined) env['PORT'] = String(name.startsWith('api-2') ? otherApiPort : apiPort);
      if (env['BANK_SIMULATOR_PORT'] !== undefined) env['BANK_SIMULATOR_PORT'] = String(bankPort);
      if (env['METRICS_PORT'] !== undefined) env['METRICS_PORT'] = String(metricsPorts.pop());
      return env;
    };
    const start = (name: string, command: readonly string[] = commandOf(compose, name)): ChildProcess => {
      const [program = '', ...args] = surroundings.lineOf(command);
      const env = environmentOf(name);
      environments.set(name, env);
      const child = spawn(program, args, { cwd: projectDirectory, env, stdio: ['ignore', 'pipe', 'pipe'] });
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => outputs.set(name, (outputs.get(name) ?? '') + chunk.toString()));
      running.push({ stop: () => ended(child) });
      return child;
    };
    /** A probe asks its own container, by the port of the file. */
    const probe = (part: string, name: string) => {
      const { METRICS_PORT, BANK_SIMULATOR_PORT } = environments.get(name) ?? {};
      return part.replace('9464', METRICS_PORT ?? '').replace('8090', BANK_SIMULATOR_PORT ?? '');
    };
    const outputOf = (name: string) => outputs.get(name) ?? '';

    surroundings.share(folder);
    // The image has its own.
    if (surroundings === checkout) await buildBundle(running);
    for (const name of ['migrate', 'administrator']) {
      const code = await exitOf(start(name));
      if (code !== 0) throw new Error(`${name} ended with ${String(code)}: ${outputOf(name)}`);
    }
    const services = ['bank', 'worker-commands', 'worker-tasks', 'api-1', 'api-2'].map((name) => ({ name, child: start(name) }));
    const assertAlive = () => {
      const dead = services.find(({ child }) => child.exitCode !== null);
      if (dead) throw new Error(`${dead.name} ended with ${String(dead.child.exitCode)}: ${outputOf(dead.name)}`);
    };
    for (const { name } of services) {
      const [, ...check] = serviceOf(compose, name).healthcheck?.test ?? [];
      await waitFor(
        () => (
          assertAlive(),
          exitOf(
            start(
              `${name} health`,
              check.map((part) => probe(part, name)),
            ),
          )
        ),
        (code) => code === 0,
        `the health check of ${name}`,
      );
    }
    return {
      baseUrl: mapped(variables['BASE_URL'] ?? ''),
      bankUrl: mapped('http://localhost:8090'),
      insideHost,
      databaseUrl: database.superuserUrl,
      secret,
      outputOf,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function serviceOf(compose: Compose, name: string): ComposeService {
  // The health check runs in the container of its service.
  const service = compose.services[name.replace(/ health$/, '')];
  if (!service) throw new Error(`the compose file has no service ${name}`);
  return service;
}

/** The command of the file, or else of the image. */
function commandOf(compose: Compose, name: string): string[] {
  const { command } = serviceOf(compose, name);
  if (command) return command;
  const [, line = ''] = /^CMD (\[.*\])$/m.exec(readFileSync(join(projectDirectory, 'Dockerfile'), 'utf8')) ?? [];
  return JSON.parse(line) as string[];
}

/** A cluster of its own, with the passwords of the secrets, prepared by the script that the file has the container run. */
async function startDatabase(secret: (name: string) => string, folder: string, port: number) {
  const postgres = await startPostgres({ dataDir: folder, port, postgresPassword: secret('postgres_password'), isDurable: false });
  const client = new Client({ connectionString: postgres.migrationDatabaseUrl.replace(/\/[^/]*$/, '/postgres') });
  await client.connect();
  try {
    await client.query('drop database registry');
    await client.query('drop role registry_app');
    const script = readFileSync(join(projectDirectory, 'ops/postgres/roles.sql'), 'utf8').replaceAll(/^--.*$/gm, '');
    for (const statement of script.split(';'))
      if (statement.trim() !== '')
        await client.query(statement.replace(/:'(\w+)'/, (_, name: string) => client.escapeLiteral(secret(name))));
  } finally {
    await client.end();
  }
  return { superuserUrl: postgres.migrationDatabaseUrl, stop: postgres.stop };
}

/** The files of secrets are read-only. */
function rewrite(path: string, content: string): void {
  rmSync(path);
  writeFileSync(path, content);
}

/** As the image does when it is built; one that was built here before stays. */
async function buildBundle(running: { stop: () => Promise<unknown> }[]): Promise<void> {
  const isNew = !existsSync(bundlePath);
  const code = await exitOf(spawn(process.execPath, ['worker/bundle.ts'], { cwd: projectDirectory, stdio: 'ignore' }));
  if (code !== 0) throw new Error('the bundle of the workflows cannot be built');
  if (isNew) running.unshift({ stop: async () => rmSync(bundlePath, { force: true }) });
}

/**
 * An address of this machine that is not the loopback address, as a container's is to the others: what listens on 127.0.0.1 alone does not
 * answer there.
 */
function hostBesideLoopback(): string {
  // Linux answers on all of 127/8.
  if (process.platform === 'linux') return '127.0.0.2';
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal);
  return outside?.address ?? '127.0.0.1';
}

function exitOf(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = exitOf(child);
  child.kill('SIGTERM');
  const deadline = setTimeout(() => child.kill('SIGKILL'), 60_000);
  await exited;
  clearTimeout(deadline);
}
