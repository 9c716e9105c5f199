import { ConfigurationError, environment, loadConfig, loadStackEnvironment, required } from '../../registry/config.ts';
import { openRegistry } from '../../registry/open-registry.ts';

/**
 * `npm run migration:create -- <name>`: writes the difference between the entities and the last snapshot as a new migration.
 * `npm run migration:check`: fails when a migration is missing. Both use the migrated database of DATABASE_URL, or of the running stack.
 */
const [mode, name] = process.argv.slice(2);
try {
  loadStackEnvironment();
  const config = loadConfig(environment());
  await run(config.MIGRATION_DATABASE_URL ?? required(config, 'DATABASE_URL'));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\nRun npm start first, which has a migrated database.\n`);
  process.exitCode = 1;
}

async function run(databaseUrl: string): Promise<void> {
  const orm = await openRegistry(databaseUrl, 2);
  try {
    if (mode === 'check') {
      const isMissing = await orm.migrator.checkSchema();
      process.stdout.write(
        isMissing ? 'The entities differ from the migrations: run npm run migration:create.\n' : 'The migrations match the entities.\n',
      );
      process.exitCode = isMissing ? 1 : 0;
    } else {
      const { fileName, diff } = await orm.migrator.create(undefined, false, false, name);
      process.stdout.write(fileName ? `${fileName}\n${diff.up.join('\n')}\n` : 'Nothing to migrate.\n');
    }
  } finally {
    await orm.close(true);
  }
}
