import { Pool } from 'pg';
import { startApi } from '../../src/api.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { startWorkers, type WorkerGroup } from '../../worker/create-worker.ts';
import { TestClient } from './client.ts';
import { showFailures } from './failures.ts';
import { workflowBundlePath } from './servers.ts';
import { openAdministrator, signInAdministrator, signUp } from './sign-up.ts';
import { installTemporalRuntime } from './temporal-runtime.ts';
import { makeSurroundings, type TestSurroundings } from './test-platform.ts';

/** A whole service for one test file: real HTTP, PostgreSQL, Temporal with workers, and the bank simulator. */
export interface TestApi {
  url: string;
  platform: Platform;
  surroundings: TestSurroundings;
  /** A browser without a sign-in. */
  browser(): TestClient;
  /** A new person, signed in. */
  user(name?: string): Promise<TestClient>;
  /** The first administrator, signed in. */
  administrator(): Promise<TestClient>;
  /** Another administrator than the first, signed in. */
  anotherAdministrator(name?: string): Promise<TestClient>;
  /** Runs SQL as the owner of the database, to look at what was written or to bring about a past. */
  sql<Row extends object>(statement: string, params?: unknown[]): Promise<Row[]>;
  /** Moves the sandbox clock to an instant and lets the sweeper bring every process there. */
  travelTo(instant: string): Promise<void>;
  stopWorkers(): Promise<void>;
  startWorkers(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestApi(overrides: Record<string, string> = {}): Promise<TestApi> {
  installTemporalRuntime();
  const [surroundings, codePath] = await Promise.all([makeSurroundings(overrides), workflowBundlePath()]);
  const { config } = surroundings;
  const api = await startApi(config);
  showFailures(api.platform.log);
  const owner = new Pool({ connectionString: surroundings.database.ownerUrl, max: 4 });
  // `end` does not wait for its connections; dropping the database ends them with an error.
  owner.on('error', () => undefined);
  const code = { codePath };
  const [administratorId, firstWorkers] = await Promise.all([
    openAdministrator(api.platform),
    startWorkers(config, api.platform, code, { debugMode: true }),
  ]);
  let workers: WorkerGroup | null = firstWorkers;
  let people = 0;
  const stopWorkers = async () => {
    await workers?.shutdown();
    workers = null;
  };
  const user = async (name?: string) => {
    people += 1;
    const client = new TestClient(api.url);
    await signUp(api.platform, config, client, `person${people}@example.kz`, name ?? `Person ${people}`);
    return client;
  };
  return {
    url: api.url,
    platform: api.platform,
    surroundings,
    browser: () => new TestClient(api.url),
    user,
    async administrator() {
      const client = new TestClient(api.url);
      await signInAdministrator(api.platform, config, client, administratorId);
      return client;
    },
    async anotherAdministrator(name) {
      const client = await user(name);
      await owner.query(`update users set role = 'administrator' where id = $1`, [client.userId]);
      return client;
    },
    sql: async (statement, params = []) => (await owner.query(statement, params)).rows,
    async travelTo(instant) {
      const browser = new TestClient(api.url);
      const moved = await browser.put('/sandbox/clock', { now: instant });
      if (moved.status !== 200) throw new Error(`the clock did not move: ${JSON.stringify(moved.body)}`);
      const swept = await browser.post('/sandbox/sweep');
      if (swept.status !== 200) throw new Error(`the sweep failed: ${JSON.stringify(swept.body)}`);
    },
    stopWorkers,
    async startWorkers() {
      workers ??= await startWorkers(config, api.platform, code, { debugMode: true });
    },
    async close() {
      await stopWorkers();
      await api.close();
      await owner.end();
      await surroundings.close();
    },
  };
}
