import { eraseAgain } from '../areas/privacy/index.ts';
import { createStorage } from '../platform/storage/create-storage.ts';
import { systemClock } from '../platform/time/clock.ts';
import { relayOnlyOutbox } from '../platform/workflows/outbox.ts';
import { extensions } from '../registry/areas.ts';
import { loadMigrationConfig } from '../registry/config.ts';
import { migrateDatabase } from '../registry/migrate-database.ts';
import { openRegistry } from '../registry/open-registry.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  usage: 'migrate',
  summary: 'migrates the database',
  help: `Migrates the database: tables, guards, the catalogue, the default agreement. Then erases the accounts again that the storage lists
as erased, which a restored database brought back. Safe while the service runs, and at each start.
Reads DATABASE_URL, MIGRATION_DATABASE_URL where another role owns the tables, and the variables of the storage.`,
  async run() {
    const { databaseUrl, migrationUrl, storage } = loadMigrationConfig();
    const applicationRole = decodeURIComponent(new URL(databaseUrl).username);
    const migrationRole = decodeURIComponent(new URL(migrationUrl).username);
    const orm = await openRegistry(migrationUrl, 3);
    try {
      const names = await migrateDatabase(orm, applicationRole === migrationRole ? null : applicationRole);
      process.stdout.write(names.length > 0 ? `applied ${names.join(', ')}\n` : 'the database is up to date\n');
      const platform = { orm, extensions, clock: systemClock, outbox: relayOnlyOutbox };
      const erased = await eraseAgain(platform, await createStorage(storage));
      if (erased.length > 0) process.stdout.write(`erased again accounts ${erased.join(', ')}\n`);
    } finally {
      await orm.close(true);
    }
  },
};
