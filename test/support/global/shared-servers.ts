import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { messageOf } from '../../../src/tools/embedded/errors.ts';
import { projectDirectory } from '../../../src/tools/embedded/scripts.ts';
import { Children } from '../../../src/tools/embedded/children.ts';
import type { DatabaseServer } from '../servers.ts';

type Stoppable = { stop: () => Promise<void> };

/**
 * Starts the servers that test files share, each when it is first asked for, and answers requests for its address. It lives in the main
 * process of Jest, which has nothing to do while the tests run; so no lock and no further process is needed.
 */
export class SharedServers {
  readonly #server: Server;
  readonly #running = new Set<Stoppable>();
  readonly #answers = new Map<string, Promise<unknown>>();
  #place: { folder: string; children: Children } | undefined;
  #postgres: { source: string; started: Promise<DatabaseServer & Stoppable> } | undefined;
  #temporal: Promise<Stoppable & { address: string }> | undefined;
  #count = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      // A test file asks now and then, and may be busy while a connection that is kept runs out: its next question would meet the end of
      // it.
      response.setHeader('Connection', 'close');
      this.#answer(request.url?.slice(1) ?? '').then(
        (answer) => response.end(JSON.stringify(answer)),
        (error: unknown) => response.writeHead(500).end(messageOf(error)),
      );
    });
  }

  /** Starts to listen; nothing else is started yet. */
  static async open(): Promise<SharedServers> {
    const servers = new SharedServers();
    await new Promise<void>((done) => servers.#server.listen(0, '127.0.0.1', done));
    // A run that is over ends, whatever has not been stopped.
    servers.#server.unref();
    return servers;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Before a further run of `--watch`: what follows from the source is made anew when it is asked for again. */
  refresh(): void {
    this.#answers.clear();
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await Promise.allSettled(this.#answers.values());
    await Promise.all([...this.#running].map((one) => one.stop()));
    if (!this.#place) return;
    this.#place.children.close();
    rmSync(this.#place.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  /** The folder of the run, and who removes it and ends the servers if this process is killed. */
  get #run(): { folder: string; children: Children } {
    if (this.#place) return this.#place;
    const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
    // PostgreSQL refuses to run as root, and the user it runs as instead must be able to enter its folder.
    chmodSync(folder, 0o711);
    this.#place = { folder, children: new Children(folder, true) };
    return this.#place;
  }

  #answer(what: string): Promise<unknown> {
    const known = this.#answers.get(what);
    if (known) return known;
    const answer = this.#make(what);
    this.#answers.set(what, answer);
    return answer;
  }

  async #make(what: string): Promise<unknown> {
    switch (what) {
      case 'folder':
        return { path: this.#run.folder };
      case 'database':
        return this.#database();
      case 'temporal':
        return { address: await this.#temporalAddress() };
      case 'bundle':
        return { path: await this.#bundle() };
      default:
        throw new Error('there is no such server');
    }
  }

  /** The migrated database. It is made anew when the migrations or the catalogue have changed. */
  async #database(): Promise<DatabaseServer> {
    const source = hashOf(['src/platform/database/migrations', 'src/areas/catalog']);
    if (this.#postgres && this.#postgres.source !== source) {
      const old = await this.#postgres.started;
      this.#running.delete(old);
      await old.stop();
      this.#postgres = undefined;
    }
    this.#postgres ??= { source, started: this.#startPostgres() };
    try {
      const { databaseUrl, migrationDatabaseUrl } = await this.#postgres.started;
      return { databaseUrl, migrationDatabaseUrl };
    } catch (error) {
      this.#postgres = undefined;
      throw error;
    }
  }

  async #temporalAddress(): Promise<string> {
    try {
      this.#temporal ??= this.#startTemporal();
      return (await this.#temporal).address;
    } catch (error) {
      this.#temporal = undefined;
      throw error;
    }
  }

  // What is imported below takes longer to load than a pure test takes to run.

  async #startPostgres(): Promise<DatabaseServer & Stoppable> {
    const [{ startPostgres }, { freePorts }, { programs, runScript }, { LogFile }] = await Promise.all([
      import('../../../src/tools/embedded/postgres/postgres.ts'),
      import('../../../src/tools/embedded/ports.ts'),
      import('../../../src/tools/embedded/scripts.ts'),
      import('../../../src/tools/embedded/log-file.ts'),
    ]);
    const [port = 0] = await freePorts(1);
    const postgres = await startPostgres({
      dataDir: this.#subfolder('database'),
      port,
      postgresPassword: 'postgres',
      applicationPassword: 'application',
      children: this.#run.children,
      isDurable: false,
    });
    this.#running.add(postgres);
    const { databaseUrl, migrationDatabaseUrl } = postgres;
    // A process of its own: this one would keep the migrations it has loaded, whatever the source says by now.
    const env = { DATABASE_URL: databaseUrl, MIGRATION_DATABASE_URL: migrationDatabaseUrl, NODE_ENV: 'test' };
    await runScript('the migration', [programs.registry, 'migrate'], env, new LogFile(join(this.#run.folder, 'logs', 'migrate.log')));
    return postgres;
  }

  async #startTemporal(): Promise<Stoppable & { address: string }> {
    const [{ startTemporal }, { freePorts }] = await Promise.all([
      import('../../../src/tools/embedded/temporal/start-temporal.ts'),
      import('../../../src/tools/embedded/ports.ts'),
    ]);
    const [port = 0] = await freePorts(1);
    const cliPath = await findTemporal();
    const dataDir = this.#subfolder('temporal');
    const temporal = await startTemporal({ dataDir, cliPath, port, env: process.env, children: this.#run.children });
    this.#running.add(temporal);
    return temporal;
  }

  async #bundle(): Promise<string> {
    const { workflowCode } = await import('../../../worker/bundle.ts');
    return (await workflowCode(false, join(projectDirectory, 'node_modules', '.cache', 'workflows'))).codePath;
  }

  #subfolder(name: string): string {
    this.#count += 1;
    const path = join(this.#run.folder, `${name}-${this.#count}`);
    mkdirSync(path, { mode: 0o755 });
    return path;
  }
}

/** The program of the project's own data directory; where there is none it is downloaded or built, which is shown. */
export async function findTemporal(): Promise<string> {
  const { findTemporalCli } = await import('../../../src/tools/embedded/temporal/find-cli.ts');
  const say = (line: string) => process.stderr.write(`${line}\n`);
  return findTemporalCli({
    dataDir: resolve(projectDirectory, '.data'),
    env: process.env,
    progress: { say, tick: () => undefined },
  });
}

function hashOf(folders: string[]): string {
  const hash = createHash('sha256');
  for (const folder of folders) {
    const entries = readdirSync(join(projectDirectory, folder), { recursive: true, withFileTypes: true });
    const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    for (const path of paths.toSorted()) hash.update(path).update(readFileSync(path));
  }
  return hash.digest('hex');
}
