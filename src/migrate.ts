import type { MikroORM } from '@mikro-orm/postgresql';
import { seedContractTemplates } from './areas/agreements/index.ts';
import { seedCatalog } from './areas/catalog/index.ts';
import { ConfigurationError, loadDatabaseConfig } from './config.ts';
import { openRegistry } from './open-registry.ts';

/**
 * Migrates a database: tables, guards, membership of the application's login, the catalog, the default agreement. Idempotent, and safe
 * while the service runs; a second migrator waits for the first.
 *
 * @param applicationRole login of the API and workers; becomes a member of `registry_application`. Null when one role does both.
 * @returns names of the migrations applied now
 */
export async function migrateDatabase(orm: MikroORM, applicationRole: string | null): Promise<string[]> {
  const lock = orm.em.fork();
  // An advisory lock held until the transaction ends: two migrators never run in parallel.
  return lock.transactional(async (em) => {
    await em.execute('select pg_advisory_xact_lock(?)', [migrationLock]);
    const applied = await orm.migrator.up();
    if (applicationRole !== null) await orm.em.fork().execute(`grant registry_application to "${applicationRole.replaceAll('"', '""')}"`);
    await seedCatalog(orm.em.fork());
    await seedContractTemplates(orm.em.fork());
    return applied.map(({ name }) => name);
  });
}
const migrationLock = 7_245_001;

if (import.meta.main) {
  try {
    const { databaseUrl, migrationUrl } = loadDatabaseConfig();
    const applicationRole = decodeURIComponent(new URL(databaseUrl).username);
    const migrationRole = decodeURIComponent(new URL(migrationUrl).username);
    const orm = await openRegistry(migrationUrl, 3);
    try {
      const names = await migrateDatabase(orm, applicationRole === migrationRole ? null : applicationRole);
      process.stdout.write(names.length > 0 ? `applied ${names.join(', ')}\n` : 'the database is up to date\n');
    } finally {
      await orm.close(true);
    }
  } catch (error) {
    const isExpected = error instanceof ConfigurationError;
    process.stderr.write(`migrate: ${isExpected ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
