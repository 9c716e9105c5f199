import type { TestClient } from './client.ts';
import { type Fixtures, fixturesOf } from './factories.ts';
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

/**
 * Starts a registry for a test file; call it once, at the top of the file.
 * @param settings variables of the configuration
 */
export async function useRegistry(settings: Record<string, string> = {}): Promise<Registry> {
  const api = await startTestApi(settings);
  afterAll(() => api.close());
  const [owner, administrator] = await Promise.all([api.user(), api.administrator()]);
  const audit = (kind: string, id: number | string) =>
    api.sql<AuditRow>(
      `select action, actor_id, impersonated_user_id, request_id, ip, data from audit_events
        where subject_kind = $1 and subject_id = $2 order by id`,
      [kind, String(id)],
    );
  return { api, make: fixturesOf(api), owner, administrator, audit };
}
