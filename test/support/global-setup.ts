import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { environment } from '../../src/config.ts';
import { LogFile } from '../../src/embedded/log-file.ts';
import { freePorts } from '../../src/embedded/ports.ts';
import { silentProgress } from '../../src/embedded/progress.ts';
import { projectDirectory } from '../../src/embedded/scripts.ts';
import { startPostgres, startTemporal } from '../../src/embedded/stack.ts';
import { findTemporalCli } from '../../src/embedded/temporal/find-cli.ts';
import { Warden } from '../../src/embedded/warden.ts';
import { migrateDatabase } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/orm.ts';
import { bundleWorkflows } from '../../worker/bundle.ts';
import type { Servers } from './servers.ts';

/** One PostgreSQL (migrated, to be cloned by each file), one Temporal in memory, one workflow bundle: shared by all test files. */
export default async function setUp(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-test-'));
  // PostgreSQL refuses to run as root, and the user it runs as instead must be able to enter its folder.
  chmodSync(folder, 0o711);
  const guardian = new Warden();
  const [postgresPort, temporalPort] = await freePorts(2);
  const log = (name: string) => new LogFile(join(folder, 'logs', `${name}.log`));
  const progress = { ...silentProgress, say: (line: string) => process.stderr.write(`${line}\n`) };
  const cliPath = await findTemporalCli({ dataDir: resolve(projectDirectory, '.data'), env: environment(), progress });
  const [postgres, temporal, bundle] = await Promise.all([
    startPostgres({
      dataDir: folder,
      port: postgresPort ?? 0,
      postgresPassword: 'postgres',
      applicationPassword: 'application',
      log: log('postgres'),
      guardian,
      progress: silentProgress,
      isDurable: false,
    }),
    startTemporal({
      dataDir: folder,
      cliPath,
      port: temporalPort ?? 0,
      env: environment(),
      log: log('temporal'),
      guardian,
      progress: silentProgress,
    }),
    bundleWorkflows(),
  ]);
  const orm = await openDatabase(postgres.migrationDatabaseUrl, 3);
  await migrateDatabase(orm, 'registry_app');
  await orm.close(true);
  const bundlePath = join(folder, 'workflows.js');
  writeFileSync(bundlePath, bundle.code);
  const servers: Servers = {
    folder,
    bundlePath,
    databaseUrl: postgres.databaseUrl,
    migrationDatabaseUrl: postgres.migrationDatabaseUrl,
    temporalAddress: temporal.address,
  };
  process.env['REGISTRY_TEST_SERVERS'] = JSON.stringify(servers);
  (globalThis as { stopTestServers?: () => Promise<void> }).stopTestServers = async () => {
    await Promise.all([postgres.stop(), temporal.stop()]);
    guardian.close();
  };
}
