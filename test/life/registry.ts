import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, copyFileSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { apiFlags, nodeFlags, programs, projectDirectory } from '../../src/tools/embedded/scripts.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { startBankSimulator } from '../../src/tools/simulators/bank/server.ts';
import { faultEnvironment } from '../faults/fault-stack.ts';
import { cloneDatabase, type TestDatabase } from '../support/database.ts';
import { findTemporal, SharedServers } from '../support/global/shared-servers.ts';
import { addressVariable, temporalAddress, testFolder, workflowBundlePath } from '../support/servers.ts';
import { mostProfiles } from './auditor/applications/profile-judgement.ts';
import { CuttableWay, RemovableFiles } from './outages.ts';
import { makeNamespace } from '../support/test-platform.ts';
import { Phones } from './phones.ts';
import { Receivers } from './receivers.ts';

export const administratorEmail = 'admin@life.kz';
export const administratorPassword = 'the-first-administrator-of-a-life';

/** The servers of a run: one PostgreSQL, one Temporal. `template` is the database that each life clones; it has the first administrator. */
export interface Servers {
  template: TestDatabase;
  close(): Promise<void>;
}

export async function openServers(): Promise<Servers> {
  const shared = await SharedServers.open();
  // The first run builds Temporal, which takes longer than a request waits.
  await findTemporal();
  process.env[addressVariable] = shared.address;
  const [template] = await Promise.all([cloneDatabase(), temporalAddress(), workflowBundlePath()]);
  const env = { ...(await baseVariables()), DATABASE_URL: template.url };
  const created = startProgram('registry', ['admin'], { ...env, ADMIN_PASSWORD: administratorPassword });
  const [code] = (await once(created, 'exit')) as [number];
  if (code !== 0) throw new Error('the first administrator could not be created');
  return { template, close: () => shared.close() };
}

/** Lines of the log that a finding shows. */
const mostErrors = 20;

/** A registry of its own for one life: database, namespace, bank, platform of the bot, an API and a worker as processes that can be killed. */
export class LifeRegistry {
  readonly url: string;
  readonly bankUrl: string;
  /** Of the programs of this life. */
  readonly receivers: Receivers;
  /** Of its people, with the platform of its bot. */
  readonly phones: Phones;
  /** When workers died, by the machine's clock. */
  readonly killedAt: number[] = [];
  /** When a part was back last, by the machine's clock. */
  disturbedAt = 0;
  readonly #env: Record<string, string>;
  readonly #database: TestDatabase;
  readonly #closeBank: () => Promise<void>;
  readonly #temporal: CuttableWay;
  readonly #files: RemovableFiles;
  readonly #running = new Map<'api' | 'worker', ChildProcess>();

  private constructor(env: Record<string, string>, { database, bank, temporal, files, receivers, phones }: Surroundings) {
    this.#env = env;
    this.receivers = receivers;
    this.phones = phones;
    this.#database = database;
    this.#temporal = temporal;
    this.#files = files;
    this.url = env['BASE_URL'] ?? '';
    this.bankUrl = bank.url;
    this.#closeBank = () => bank.close();
  }

  static async start({ template }: Servers): Promise<LifeRegistry> {
    const name = `life${randomBytes(6).toString('hex')}`;
    const [address, folder, bundle, [port = 0]] = await Promise.all([temporalAddress(), testFolder(), workflowBundlePath(), freePorts(1)]);
    const dataDir = join(folder, name);
    mkdirSync(dataDir);
    copyFileSync(bundle, join(dataDir, basename(bundle)));
    const base = await baseVariables();
    const url = `http://127.0.0.1:${port}`;
    const [temporal, bank, database, receivers, phones] = await Promise.all([
      CuttableWay.open(address),
      startBankSimulator({ port: 0, terminal: base.BANK_TERMINAL, secret: base.BANK_SECRET, callbackUrl: `${url}/api/v1/bank/callback` }),
      cloneDatabase(template.url),
      Receivers.start(),
      Phones.start(),
      makeNamespace(address, name),
    ]);
    const env = {
      ...base,
      PORT: String(port),
      BASE_URL: url,
      DATA_DIR: dataDir,
      DATABASE_URL: database.url,
      TEMPORAL_ADDRESS: temporal.address,
      TEMPORAL_NAMESPACE: name,
      BANK_URL: bank.url,
      ...phones.variables,
    };
    const registry = new LifeRegistry(env, { database, bank, temporal, files: new RemovableFiles(dataDir), receivers, phones });
    await Promise.all([registry.begin('api'), registry.begin('worker')]);
    return registry;
  }

  /** Folder of the sent mails and the files. */
  get dataDir(): string {
    return this.#env['DATA_DIR'] ?? '';
  }

  /** Beside its files, which may be away. */
  get #logPath(): string {
    return `${this.dataDir}.log`;
  }

  /** The latest errors that its processes logged. */
  get errors(): string[] {
    return existsSync(this.#logPath) ? readFileSync(this.#logPath, 'utf8').trimEnd().split('\n').slice(-mostErrors) : [];
  }

  /** Starts a process and waits until it serves. */
  async begin(name: 'api' | 'worker'): Promise<void> {
    const child = startProgram(name, [], this.#env, this.#logPath);
    this.#running.set(name, child);
    const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the ${name} ended before it served`)));
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
    this.disturbedAt = Date.now();
  }

  /** Kills a process at once, as a machine that loses power does. */
  async kill(name: 'api' | 'worker'): Promise<void> {
    const child = this.#running.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    if (name === 'worker') this.killedAt.push(Date.now());
    child.kill('SIGKILL');
    await exited;
  }

  /** Takes Temporal or the files away for as long as the work takes. */
  async loseDuring(part: 'temporal' | 'storage', work: () => Promise<void>): Promise<void> {
    await (part === 'temporal' ? this.#temporal.cutDuring(work) : this.#files.removeDuring(work));
    this.disturbedAt = Date.now();
  }

  async close(): Promise<void> {
    await Promise.all([this.kill('api'), this.kill('worker')]);
    await this.#temporal.close();
    await Promise.all([this.#closeBank(), this.receivers.close(), this.phones.close()]);
    await this.#database.drop();
    rmSync(this.dataDir, { recursive: true, force: true });
    rmSync(this.#logPath, { force: true });
  }
}

interface Surroundings {
  database: TestDatabase;
  bank: { url: string; close(): Promise<void> };
  temporal: CuttableWay;
  files: RemovableFiles;
  receivers: Receivers;
  phones: Phones;
}

/** Variables of every process. Limits are high, because all people of a life have one address. */
async function baseVariables() {
  return {
    ...faultEnvironment,
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_ENV: 'test',
    LOG_LEVEL: 'error',
    TEMPORAL_ADDRESS: await temporalAddress(),
    ADMIN_EMAIL: administratorEmail,
    BANK_TERMINAL: 'LIFE0001',
    BANK_SECRET: 'bank-secret-of-a-life',
    SESSION_SECRET: 'session-secret-of-a-life-0123456789abcdef',
    ENCRYPTION_KEY: 'encryption-key-of-a-life-0123456789abcdef',
    RATE_LIMIT_CAPTCHAS_PER_10_MINUTES: '100000',
    MAX_CONNECTIONS_PER_IP: '100000',
    QUOTA_PROFILES: String(mostProfiles),
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  };
}

function startProgram(name: 'api' | 'worker' | 'registry', args: string[], env: Record<string, string>, logPath?: string): ChildProcess {
  const log = logPath === undefined ? null : openSync(logPath, 'a');
  const child = fork(join(projectDirectory, programs[name]), args, {
    cwd: projectDirectory,
    env,
    execArgv: name === 'api' ? apiFlags : nodeFlags,
    stdio: ['ignore', log ?? 'ignore', 'inherit', 'ipc'],
  });
  if (log !== null) closeSync(log);
  return child;
}
