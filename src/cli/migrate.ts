import { loadDatabaseConfig } from '../registry/config.ts';
import { migrateDatabase } from '../registry/migrate-database.ts';
import { openRegistry } from '../registry/open-registry.ts';
import type { Command } from './command.ts';

export const migrate: Command = {
  usage: 'migrate',
  summary: 'migrates the database',
  help: `Migrates the database: tables, guards, the catalogue, the default agreement. Safe while the service runs, and at each start.
Reads DATABASE_URL, and MIGRATION_DATABASE_URL where another role owns the tables.`,
  async run() {
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
  },
};
