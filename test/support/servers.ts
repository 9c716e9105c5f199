/** The servers that the global set-up started, as test files find them. */
export interface Servers {
  folder: string;
  bundlePath: string;
  databaseUrl: string;
  migrationDatabaseUrl: string;
  temporalAddress: string;
}

export function readServers(): Servers {
  const text = process.env['REGISTRY_TEST_SERVERS'];
  if (!text) throw new Error('the test servers are not running: run the tests by npm test');
  return JSON.parse(text) as Servers;
}
