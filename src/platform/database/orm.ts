import { MikroORM } from '@mikro-orm/postgresql';
import type { Options } from '@mikro-orm/postgresql';
import { Migrator } from '@mikro-orm/migrations';
import { fileURLToPath } from 'node:url';
import * as accounts from '../../accounts/entities.ts';
import * as administration from '../../administration/entities.ts';
import * as applications from '../../applications/entities.ts';
import * as catalog from '../../catalog/entities.ts';
import * as documents from '../../documents/entities.ts';
import * as files from '../../files/entities.ts';
import * as messages from '../../messages/entities.ts';
import * as profiles from '../../profiles/entities.ts';
import * as wallet from '../../wallet/entities.ts';
import * as platform from './entities.ts';
import { PipelinedDriver } from './pipelined-driver.ts';

/** Every table of the registry, named one by one: nothing is found by scanning folders. */
export const entities = [accounts, administration, applications, catalog, documents, files, messages, profiles, wallet, platform].flatMap(
  (area) => Object.values(area),
);

const migrationsPath = fileURLToPath(new URL('./migrations', import.meta.url));

/** Settings shared by the API, the workers, the migrator and the drift check. */
export function ormOptions(databaseUrl: string, poolSize: number): Options {
  return {
    driver: PipelinedDriver,
    clientUrl: databaseUrl,
    entities,
    extensions: [Migrator],
    // A new connection takes 18 ms of processor time, more than all statements of a paid application: a process of the server, the
    // hashes of a password, and each statement is planned anew. So the pool outlives a lull.
    pool: { min: 0, max: poolSize, idleTimeoutMillis: 10 * 60_000 },
    // Whoever finds the pool empty for this long is told to come again, rather than to wait for ever.
    driverOptions: { connectionTimeoutMillis: 10_000, keepAlive: true, pipeline: true },
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

export async function openDatabase(databaseUrl: string, poolSize: number): Promise<MikroORM> {
  return MikroORM.init(ormOptions(databaseUrl, poolSize));
}
