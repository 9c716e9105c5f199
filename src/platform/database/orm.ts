import type { MigrationDiff } from '@mikro-orm/core';
import { Migrator, TSMigrationGenerator } from '@mikro-orm/migrations';
import { type EntitySchema, MikroORM, type Options } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import { poolMetrics } from '../metrics/registry.ts';
import { createDialect } from './dialect.ts';

export const migrationsPath = fileURLToPath(new URL('./migrations', import.meta.url));

/** Timeouts of database waits, milliseconds. Each ends before the next, so that the server reports the cause. */
export interface DatabaseTimeouts {
  /** Wait for a locked row. */
  lockMs: number;
  /** Run time of a statement; the server ends it. */
  statementMs: number;
  /** Wait for an answer from a silent server or network; the driver then closes the connection. */
  answerMs: number;
}

/** Writes migrations without a way back: a former release runs with the migrated schema. */
class ForwardMigration extends TSMigrationGenerator {
  override generateMigrationFile(className: string, { up }: MigrationDiff): string {
    return super.generateMigrationFile(className, { up, down: [] });
  }
}

/** Settings shared by the API, the workers, the migrator and the drift check. */
function ormOptions(entities: EntitySchema[], databaseUrl: string, poolSize: number, timeouts?: DatabaseTimeouts): Options {
  return {
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator],
    driverOptions: createDialect(
      {
        connectionString: databaseUrl,
        max: poolSize,
        // A new connection costs 18 ms of processor time: server process, password hash, new plans. So the pool keeps idle connections.
        idleTimeoutMillis: 10 * 60_000,
        // Wait for a free connection; then the client reads 503.
        connectionTimeoutMillis: 10_000,
        keepAlive: true,
        ...(timeouts && { lock_timeout: timeouts.lockMs, statement_timeout: timeouts.statementMs, query_timeout: timeouts.answerMs }),
      },
      poolMetrics,
    ),
    // Callers report the messages of the migrator and the ORM.
    logger: () => undefined,
    // Dates are instants; presenters apply the registry's zone.
    forceUtcTimezone: true,
    // Each transaction forks its own entity manager.
    allowGlobalContext: false,
    // `guards.sql` has the triggers and functions; a new migration leaves them alone.
    schemaGenerator: { ignoreTriggers: true, ignoreRoutines: true },
    migrations: {
      path: migrationsPath,
      pathTs: migrationsPath,
      // A new migration is the difference between the entities and a migrated database.
      snapshot: false,
      emit: 'ts',
      generator: ForwardMigration,
      allOrNothing: true,
      disableForeignKeys: false,
    },
  };
}

/**
 * @param entities the tables
 * @param timeouts timeouts of statements; without them (a migration), statements wait without limit
 */
export async function openDatabase(
  entities: EntitySchema[],
  databaseUrl: string,
  poolSize: number,
  timeouts?: DatabaseTimeouts,
): Promise<MikroORM> {
  return MikroORM.init(ormOptions(entities, databaseUrl, poolSize, timeouts));
}
