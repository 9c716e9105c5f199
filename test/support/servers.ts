/**
 * The servers that all test files share, as a test file finds them. Each is started for the first file that asks
 * (`global-shared-servers.ts`), so a run of files that ask for none starts none. Asking may take some seconds: ask in a test or
 * `beforeAll`.
 */

/** One PostgreSQL; its database is migrated, to be cloned by each file. */
export interface DatabaseServer {
  databaseUrl: string;
  migrationDatabaseUrl: string;
}

export function databaseServer(): Promise<DatabaseServer> {
  return ask('database');
}

/** host:port of one Temporal that keeps everything in memory. */
export async function temporalAddress(): Promise<string> {
  return (await ask<{ address: string }>('temporal')).address;
}

/** The bundle of the workflows as they stand in the source. */
export async function workflowBundlePath(): Promise<string> {
  return (await ask<{ path: string }>('bundle')).path;
}

/** A folder that is removed after the run. */
export async function testFolder(): Promise<string> {
  return (await ask<{ path: string }>('folder')).path;
}

/** The variable by which the global set-up tells the test files where to ask. */
export const addressVariable = 'REGISTRY_TEST_SERVERS';

const answers = new Map<string, Promise<unknown>>();

function ask<Answer>(what: string): Promise<Answer> {
  const answer = answers.get(what) ?? request(what);
  answers.set(what, answer);
  return answer as Promise<Answer>;
}

async function request(what: string): Promise<unknown> {
  const address = process.env[addressVariable];
  if (!address) throw new Error('the test servers are not running: run the tests by npm test');
  const response = await fetch(`${address}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(`the shared test server "${what}" cannot be used: ${text}`);
  return JSON.parse(text);
}
