import { Migrator } from '@mikro-orm/migrations';
import { MikroORM, type Options } from '@mikro-orm/postgresql';
import { fileURLToPath } from 'node:url';
import { entities } from '../../entities.ts';
import { createDialect } from './dialect.ts';

const migrationsPath = fileURLToPath(new URL('./migrations', import.meta.url));

/** How long the service waits for the database, milliseconds. Each ends before the next, so that it is the server that says what was too long. */
export interface DatabasePatience {
  /** For a row that another holds. */
  lockMs: number;
  /** For a statement that runs; the server ends it. */
  statementMs: number;
  /** For the answer to a statement: a server that says nothing more, or a network that lost it, cannot end it. The connection is given up. */
  answerMs: number;
}

/** Settings shared by the API, the workers, the migrator and the drift check. */
export function ormOptions(databaseUrl: string, poolSize: number, patience?: DatabasePatience): Options {
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
      // Whoever finds the pool empty for this long is told to come again, rather than to wait for ever.
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
      ...(patience && { lock_timeout: patience.lockMs, statement_timeout: patience.statementMs, query_timeout: patience.answerMs }),
    }),
    // What the migrator and the ORM have to say is said by whoever calls them.
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
 * @param patience how long a statement may take; the service's own waits for a row end before its steps do, so that one row that
 *   somebody holds does not take the pool. For ever when absent: a migration waits its turn.
 */
export async function openDatabase(databaseUrl: string, poolSize: number, patience?: DatabasePatience): Promise<MikroORM> {
  return MikroORM.init(ormOptions(databaseUrl, poolSize, patience));
}
