import { Migrator } from '@mikro-orm/migrations';
import { type EntitySchema, MikroORM, type Options } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import { createDialect } from './dialect.ts';

export const migrationsPath = fileURLToPath(new URL('./migrations', import.meta.url));

/** Timeouts of database waits, milliseconds. Each ends before the next, so that the server reports the cause. */
export interface DatabasePatience {
  /** For a row that another holds. */
  lockMs: number;
  /** For a statement that runs; the server ends it. */
  statementMs: number;
  /**
   * For the answer to a statement: a server that says nothing more, or a network that lost it, cannot end it. The connection is given up.
   */
  answerMs: number;
}

/** Settings shared by the API, the workers, the migrator and the drift check. */
function ormOptions(entities: EntitySchema[], databaseUrl: string, poolSize: number, patience?: DatabasePatience): Options {
  return {
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator],
    driverOptions: createDialect({
      connectionString: databaseUrl,
      max: poolSize,
      // A new connection takes 18 ms of processor time, more than all statements of a paid application: a process of the server, the
      // hashes of a password, and each statement is planned anew. So the pool outlives a lull.
      idleTimeoutMillis: 10 * 60_000,
      // With an empty pool a request gets "try again" after this time.
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      ...(patience && { lock_timeout: patience.lockMs, statement_timeout: patience.statementMs, query_timeout: patience.answerMs }),
    }),
    // Callers report the messages of the migrator and the ORM.
    logger: () => undefined,
    // Dates are instants here; the registry's zone is applied where they are shown.
    forceUtcTimezone: true,
    // One rule for the whole code: an entity manager is forked for each transaction, never shared.
    allowGlobalContext: false,
    // Triggers are written by hand in the migrations (append-only rows, the ledger's sum); the tables are compared without them.
    schemaGenerator: { ignoreTriggers: true },
    migrations: {
      path: migrationsPath,
      pathTs: migrationsPath,
      snapshotName: 'snapshot',
      emit: 'ts',
      allOrNothing: true,
      disableForeignKeys: false,
      snapshotOnMigrate: false,
    },
  };
}

/**
 * @param entities the tables
 * @param patience timeouts of statements. Lock waits of the service end before its steps do, so that one locked row does not use up the
 *   pool. None when absent: a migration waits.
 */
export async function openDatabase(
  entities: EntitySchema[],
  databaseUrl: string,
  poolSize: number,
  patience?: DatabasePatience,
): Promise<MikroORM> {
  return MikroORM.init(ormOptions(entities, databaseUrl, poolSize, patience));
}
