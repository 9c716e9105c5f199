import { Client, Connection } from '@temporalio/client';
import { Client as DatabaseClient } from 'pg';
import { loadConfig } from '../../../src/registry/config.ts';
import { closePlatform, createPlatform } from '../../../src/registry/create-platform.ts';
import { migrateDatabase } from '../../../src/registry/migrate-database.ts';
import { openRegistry } from '../../../src/registry/open-registry.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { type Stack, startThrowawayStack } from '../../../src/tools/embedded/stack.ts';

/** As in production, without the sandbox. The rate limits are high because the whole load has one address. */
const benchEnvironment = {
  NODE_ENV: undefined,
  SANDBOX: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_KEY_PER_MINUTE: '1000000000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000000',
  RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000000',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
  RATE_LIMIT_RESETS_PER_HOUR: '100000',
  RATE_LIMIT_STREAMS_PER_IP: '100000',
  MAX_CONNECTIONS_PER_IP: '100000',
};

/** @param env variables that this benchmark overrides */
export function startBenchStack(env: Record<string, string> = {}): Promise<Stack> {
  return startThrowawayStack({ env: { ...benchEnvironment, ...env } });
}

export function localUrl(stack: Stack): string {
  return `http://127.0.0.1:${stack.config.PORT}`;
}

/** Runs work with a platform on the stack's database and Temporal. @param env overrides, such as another database */
export async function withPlatform<T>(
  stack: Pick<Stack, 'env'>,
  work: (platform: Platform) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const platform = await createPlatform(loadConfig({ ...stack.env, ...env }), 'bench');
  try {
    return await work(platform);
  } finally {
    await closePlatform(platform);
  }
}

/** Runs work with a client of the stack's Temporal. */
export async function withTemporal<T>(stack: Stack, namespace: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** Runs work with a connection to a database. */
export async function withDatabase<T>(url: string, work: (database: DatabaseClient) => Promise<T>): Promise<T> {
  const database = new DatabaseClient({ connectionString: url });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** Creates another database on the stack's server, migrated and seeded. @returns its URLs for its owner and for the application */
export async function makeDatabase(stack: Stack, name: string): Promise<{ owner: string; application: string }> {
  await withDatabase(stack.migrationDatabaseUrl, (database) => database.query(`create database ${name}`));
  const named = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const owner = named(stack.migrationDatabaseUrl);
  const orm = await openRegistry(owner, 3);
  await migrateDatabase(orm, new URL(stack.databaseUrl).username);
  await orm.close(true);
  return { owner, application: named(stack.databaseUrl) };
}

/** Registers another namespace; the server knows it everywhere a moment later. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  } finally {
    await connection.close();
  }
}

/** Does work for each item, `atOnce` at a time. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}
