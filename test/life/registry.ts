import { Connection } from '@temporalio/client';
import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Client } from 'pg';
import { apiFlags, nodeFlags, programs, projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startBankSimulator } from '../../src/tools/simulators/bank/server.ts';
import { captchaAnswer } from '../support/identities/captcha-answer.ts';
import { SharedServers } from '../support/global/shared-servers.ts';
import { addressVariable, databaseServer, temporalAddress, testFolder, workflowBundlePath } from '../support/servers.ts';

export const administratorEmail = 'admin@life.kz';
export const administratorPassword = 'the-first-administrator-of-a-life';

/** The servers that all lives of a run share: one PostgreSQL, one Temporal, and a database to clone, with the first administrator. */
export interface Servers {
  template: string;
  close(): Promise<void>;
}

export async function openServers(): Promise<Servers> {
  const shared = await SharedServers.open();
  process.env[addressVariable] = shared.address;
  const template = `life_${randomBytes(4).toString('hex')}`;
  const [{ databaseUrl, migrationDatabaseUrl }] = await Promise.all([databaseServer(), temporalAddress(), workflowBundlePath()]);
  await cloneDatabase(new URL(migrationDatabaseUrl).pathname.slice(1), template);
  const env = { ...(await baseVariables()), DATABASE_URL: inDatabase(databaseUrl, template), ADMIN_EMAIL: administratorEmail };
  const created = startProgram('registry', ['admin'], { ...env, ADMIN_PASSWORD: administratorPassword });
  const [code] = (await once(created, 'exit')) as [number];
  if (code !== 0) throw new Error('the first administrator could not be created');
  return { template, close: () => shared.close() };
}

/** A registry of its own for one life: database, namespace, bank, an API and a worker as processes that can be killed. */
export class LifeRegistry {
  readonly url: string;
  readonly bankUrl: string;
  readonly #env: Record<string, string>;
  readonly #database: string;
  readonly #closeBank: () => Promise<void>;
  readonly #running = new Map<'api' | 'worker', ChildProcess>();

  private constructor(env: Record<string, string>, database: string, bank: { url: string; close(): Promise<void> }) {
    this.#env = env;
    this.#database = database;
    this.url = env['BASE_URL'] ?? '';
    this.bankUrl = bank.url;
    this.#closeBank = () => bank.close();
  }

  static async start({ template }: Servers): Promise<LifeRegistry> {
    const name = `life${randomBytes(6).toString('hex')}`;
    const [{ databaseUrl }, folder, bundle, [port = 0]] = await Promise.all([
      databaseServer(),
      testFolder(),
      workflowBundlePath(),
      freePorts(1),
    ]);
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    copyFileSync(bundle, join(dataDir, basename(bundle)));
    const base = await baseVariables();
    const url = `http://127.0.0.1:${port}`;
    const [bank] = await Promise.all([
      startBankSimulator({ port: 0, terminal: base.BANK_TERMINAL, secret: base.BANK_SECRET, callbackUrl: `${url}/api/v1/bank/callback` }),
      cloneDatabase(template, name),
      makeNamespace(name),
    ]);
    const env = {
      ...base,
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      DATABASE_URL: inDatabase(databaseUrl, name),
      TEMPORAL_NAMESPACE: name,
      BANK_URL: bank.url,
    };
    const registry = new LifeRegistry(env, name, bank);
    await Promise.all([registry.begin('api'), registry.begin('worker')]);
    return registry;
  }

  /** Starts a process and waits until it serves. */
  async begin(name: 'api' | 'worker'): Promise<void> {
    const child = startProgram(name, [], this.#env);
    this.#running.set(name, child);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the ${name} ended before it served`)));
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
  }

  /** Kills a process at once, as a machine that loses power does. */
  async kill(name: 'api' | 'worker'): Promise<void> {
    const child = this.#running.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }

  async close(): Promise<void> {
    await Promise.all([this.kill('api'), this.kill('worker')]);
    await this.#closeBank();
    await asOwner((client) => client.query(`drop database if exists ${this.#database} with (force)`));
    rmSync(this.#env['DATA_DIR'] ?? '', { recursive: true, force: true });
  }
}

/** What every process of every life is told. Limits are high, because all people of a life have one address. */
async function baseVariables() {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_ENV: 'test',
    LOG_LEVEL: process.env['LIFE_LOG_LEVEL'] ?? 'silent',
    TEMPORAL_ADDRESS: await temporalAddress(),
    SANDBOX: 'true',
    CAPTCHA_FIXED_ANSWER: captchaAnswer,
    BANK_TERMINAL: 'LIFE0001',
    BANK_SECRET: 'bank-secret-of-a-life',
    SESSION_SECRET: 'session-secret-of-a-life-0123456789abcdef',
    ENCRYPTION_KEY: 'encryption-key-of-a-life-0123456789abcdef',
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    RATE_LIMIT_KEY_PER_MINUTE: '1000000',
    RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000',
    RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000',
    RATE_LIMIT_SESSIONS_PER_10_MINUTES: '1000000',
    RATE_LIMIT_RESETS_PER_HOUR: '100000',
    RATE_LIMIT_LOGINS_PER_15_MINUTES: '100000',
    RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '100000',
    RATE_LIMIT_UPLOADS_PER_HOUR: '1000000',
    RATE_LIMIT_EXPORTS_PER_HOUR: '1000000',
    RATE_LIMIT_TINY_CHUNKS_PER_10_SECONDS: '100000000',
    MAX_CONNECTIONS_PER_IP: '100000',
  };
}

function startProgram(name: 'api' | 'worker' | 'registry', args: string[], env: Record<string, string>): ChildProcess {
  return fork(join(projectDirectory, programs[name]), args, {
    cwd: projectDirectory,
    env,
    execArgv: name === 'api' ? apiFlags : nodeFlags,
    stdio: ['ignore', env['LOG_LEVEL'] === 'silent' ? 'ignore' : 'inherit', 'inherit', 'ipc'],
  });
}

async function cloneDatabase(template: string, name: string): Promise<void> {
  await asOwner((client) => client.query(`create database ${name} template ${template}`));
}

async function asOwner(work: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: inDatabase((await databaseServer()).migrationDatabaseUrl, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function inDatabase(url: string, name: string): string {
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function makeNamespace(namespace: string): Promise<void> {
  const connection = await Connection.connect({ address: await temporalAddress() });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  } finally {
    await connection.close();
  }
}
