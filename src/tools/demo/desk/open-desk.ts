import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { baseUrl, environment, loadConfig } from '../../../registry/config.ts';
import { exitWithParent } from '../../../platform/runtime/exit-with-parent.ts';
import { describeStack } from '../../embedded/describe-stack.ts';
import { lockDataDirectory, openDataDirectory } from '../../embedded/lock.ts';
import { streamProgress } from '../../embedded/progress.ts';
import { noOtherServers, type Stack, startStack } from '../../embedded/stack.ts';
import { findTemporalCli } from '../../embedded/temporal/find-cli.ts';
import { readSurroundings } from '../surroundings.ts';
import { fillFederation } from './fill.ts';

/** One address sends the requests of a whole federation within minutes; afterwards programs of developers may sign in often. */
const limits = {
  RATE_LIMIT_KEY_PER_MINUTE: '100000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '100000',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '10000',
  RATE_LIMIT_LOGINS_PER_15_MINUTES: '1000',
};

/**
 * `npm run demo -- desk`: starts a registry of its own in `DATA_DIR/desk`, fills a federation, prints the login of the desk, and stays up until
 * Ctrl-C. Each start begins anew; the secrets stay, and with them the login.
 */
export async function openDesk(): Promise<void> {
  const progress = streamProgress(process.stdout);
  const starting = new AbortController();
  let stack: Stack | undefined;
  let stopping: Promise<void> | undefined;
  const stop = () =>
    (stopping ??= (async () => {
      progress.say('Stopping ...');
      starting.abort();
      await stack?.stop();
    })());
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => void stop().then(() => process.exit(0)));
  exitWithParent(stop);

  const startedAt = Date.now();
  const own = environment();
  const shared = openDataDirectory(loadConfig(own).DATA_DIR);
  const temporal = await findTemporalCli({ dataDir: shared, env: own, progress, abort: starting.signal });
  const dataDir = openDataDirectory(join(shared, 'desk'));
  // Throws while another desk runs on the folder.
  (await lockDataDirectory(dataDir, baseUrl(loadConfig(own)), progress))();
  for (const name of readdirSync(dataDir)) if (name !== 'secrets.json') rmSync(join(dataDir, name), { recursive: true });
  const forced = {
    ...noOtherServers,
    SMTP_URL: undefined,
    STORAGE: 'disk',
    SANDBOX: 'true',
    DATA_DIR: dataDir,
    TEMPORAL_CLI_PATH: temporal,
  };
  try {
    stack = await startStack({ env: { ...limits, ...own, ...forced }, progress, abort: starting.signal });
    const config = loadConfig(stack.env);
    await fillFederation(readSurroundings(config), { progress, config });
    progress.say(`\nThe desk is filled (${Math.round((Date.now() - startedAt) / 1000)} s).\n\n${describeStack(config).join('\n')}\n`);
    progress.say(`Desk: ${baseUrl(config)}/desk\nE-mail: ${stack.administrator.email}\nPassword: ${stack.administrator.password}\n`);
    progress.say('Ctrl-C stops it.');
  } catch (error) {
    if (stopping) return;
    await stop();
    throw error;
  }
}
