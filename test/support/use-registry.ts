import type { TestClient } from './client.ts';
import { type Fixtures, fixturesOf } from './factories.ts';
import { atEnd } from './global/at-end.ts';
import { sharedRegistry } from './shared-registry.ts';
import { startTestApi, type TestApi } from './test-api.ts';

/** A running registry, as a test file uses it. */
export interface Registry {
  api: TestApi;
  make: Fixtures<TestClient>;
  /** A new person, signed in. */
  owner: TestClient;
  /** The first administrator, signed in. */
  administrator: TestClient;
  /** Reads the audit of a record, oldest first. */
  audit(kind: string, id: number | string): Promise<AuditRow[]>;
}

export interface AuditRow {
  action: string;
  actor_id: number | null;
  impersonated_user_id: number | null;
  request_id: string;
  ip: string | null;
  data: Record<string, unknown>;
}

/** The registry of this test process, while one runs. */
let shared: Promise<TestApi> | null = null;

/**
 * Starts a registry for a test file; call it once, at the top of the file. Files without settings share one registry per process: its
 * database holds records of other files, its clock stands, and its workers run. A file gets its own with settings, or with
 * `{ private: true }` if it moves the clock, stops workers, or asserts on totals and empty lists.
 * @param settings variables of the configuration
 */
export async function useRegistry(settings: Record<string, string> | { private?: true } = {}): Promise<Registry> {
  const { private: isPrivate, ...variables } = settings as Record<string, string> & { private?: true };
  if (!isPrivate && Object.keys(variables).length === 0) return registryOf(await shareRegistry());
  const api = await startTestApi(variables);
  afterAll(() => api.close());
  return registryOf(api);
}

async function shareRegistry(): Promise<TestApi> {
  // A registry that does not start is tried again by the next file.
  shared ??= startTestApi().catch((error: unknown) => {
    shared = null;
    throw error;
  });
  const api = await shared;
  atEnd.close = () => api.close();
  Object.assign(sharedRegistry, { database: new URL(api.surroundings.database.url).pathname.slice(1), isUsed: true });
  afterAll(() => void (sharedRegistry.isUsed = false));
  const refuse = () => Promise.reject(new Error('other test files share this registry: use `await useRegistry({ private: true })`'));
  return { ...api, travelTo: refuse, stopWorkers: refuse, startWorkers: refuse, close: refuse };
}

async function registryOf(api: TestApi): Promise<Registry> {
  const [owner, administrator] = await Promise.all([api.user(), api.administrator()]);
  const audit = (kind: string, id: number | string) =>
    api.sql<AuditRow>(
      `select action, actor_id, impersonated_user_id, request_id, ip, data from audit_events
        where subject_kind = $1 and subject_id = $2 order by id`,
      [kind, String(id)],
    );
  return { api, make: fixturesOf(api), owner, administrator, audit };
}
