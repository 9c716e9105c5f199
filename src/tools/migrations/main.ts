import { ConfigurationError, environment, loadConfig, loadStackEnvironment, required } from '../../registry/config.ts';
import { openRegistry } from '../../registry/open-registry.ts';
import { findDrift } from './drift.ts';

/**
 * `npm run migration:create -- <name>`: writes the difference between the entities and a migrated database as a new migration.
 * `npm run migration:check`: fails when a database differs from the entities or from what the migrations make, and names each difference.
 * Both use the database of DATABASE_URL, or of the running stack.
 */
const [mode, name] = process.argv.slice(2);
try {
  loadStackEnvironment();
  const config = loadConfig(environment());
  const databaseUrl = config.MIGRATION_DATABASE_URL ?? required(config, 'DATABASE_URL');
  await (mode === 'check' ? check(databaseUrl) : create(databaseUrl));
} catch (error) {
  if (!(error instanceof ConfigurationError)) throw error;
  process.stderr.write(`${error.message}\nRun npm start first, which has a migrated database.\n`);
  process.exitCode = 1;
}

async function check(databaseUrl: string): Promise<void> {
  const differences = await findDrift(databaseUrl);
  process.stdout.write(
    differences.length === 0
      ? 'The database matches the entities and the migrations.\n'
      : `${differences.join('\n')}\nA migration is missing (npm run migration:create), or the database was changed by hand.\n`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
}

async function create(databaseUrl: string): Promise<void> {
  const orm = await openRegistry(databaseUrl, 2);
  try {
    const [pending] = await orm.migrator.getPending();
    if (pending) {
      process.stderr.write(`The database lacks ${pending.name}. Run npm run registry -- migrate first.\n`);
      process.exitCode = 1;
      return;
    }
    const { fileName, diff } = await orm.migrator.create(undefined, false, false, name);
    process.stdout.write(fileName ? `${fileName}\n${diff.up.join('\n')}\n` : 'Nothing to migrate.\n');
  } finally {
    await orm.close(true);
  }
}
