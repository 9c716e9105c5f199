import { Client } from 'pg';
import { randomBytes } from 'node:crypto';
import { databaseServer } from './servers.ts';

/** A database of this test file's own, cloned from the migrated one in milliseconds. */
export interface TestDatabase {
  /** As the application's role sees it. */
  url: string;
  /** As its owner. */
  ownerUrl: string;
  drop(): Promise<void>;
}

/** @param source URL of the database to clone, to which nothing is connected; by default the migrated one */
export async function cloneDatabase(source?: string): Promise<TestDatabase> {
  const { databaseUrl, migrationDatabaseUrl } = await databaseServer();
  const template = new URL(source ?? migrationDatabaseUrl).pathname.slice(1);
  const name = `test_${randomBytes(6).toString('hex')}`;
  // A template may not have connections while it is copied, so two files take turns.
  await asOwner(async (client) => {
    await client.query('select pg_advisory_lock(1)');
    await client.query(`create database ${name} template ${template}`);
  });
  return {
    url: withDatabase(databaseUrl, name),
    ownerUrl: withDatabase(migrationDatabaseUrl, name),
    drop: () => asOwner((client) => client.query(`drop database if exists ${name} with (force)`)),
  };
}

async function asOwner(work: (client: Client) => Promise<unknown>): Promise<void> {
  const { migrationDatabaseUrl } = await databaseServer();
  const client = new Client({ connectionString: withDatabase(migrationDatabaseUrl, 'postgres') });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}
