import type { MikroORM } from '@mikro-orm/postgresql';
import { seedContractTemplates } from '../areas/agreements/index.ts';
import { seedCatalog } from '../areas/catalog/index.ts';

const migrationLock = 7_245_001;

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
