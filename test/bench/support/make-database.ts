import { Client } from 'pg';
import { migrateDatabase } from '../../../src/migrate.ts';
import { openRegistry } from '../../../src/open-registry.ts';
import type { Stack } from '../../../src/tools/embedded/stack.ts';

/** A further database on the server of a stack, migrated and seeded. @returns its addresses for its owner and for the application */
export async function makeDatabase(stack: Stack, name: string): Promise<{ owner: string; application: string }> {
  const client = new Client({ connectionString: stack.migrationDatabaseUrl });
  await client.connect();
  await client.query(`create database ${name}`).finally(() => client.end());
  const named = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const owner = named(stack.migrationDatabaseUrl);
  const orm = await openRegistry(owner, 3);
  await migrateDatabase(orm, new URL(stack.databaseUrl).username);
  await orm.close(true);
  return { owner, application: named(stack.databaseUrl) };
}
