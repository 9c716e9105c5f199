/**
 * `npm run credentials:issue`: gives certificates from before credentials a place in a status list and a signed credential. Their PDFs stay.
 * Works in batches; may be stopped and repeated at any time.
 */
import { extensions } from './areas.ts';
import { issueCredentials } from './areas/applications/index.ts';
import { ConfigurationError, environment, loadConfig, required } from './config.ts';
import { openRegistry } from './open-registry.ts';
import { sandboxClock, systemClock } from './platform/clock.ts';
import { relayOnlyOutbox } from './platform/workflows/outbox.ts';

try {
  const config = loadConfig(environment(), 'credentials');
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 2);
  try {
    const platform = { orm, config, extensions, clock: config.SANDBOX ? sandboxClock : systemClock, outbox: relayOnlyOutbox };
    const count = await issueCredentials(platform, (done) => process.stdout.write(`${done} credentials\n`));
    process.stdout.write(`issued ${count} credentials\n`);
  } finally {
    await orm.close(true);
  }
} catch (error) {
  process.stderr.write(`credentials:issue: ${error instanceof ConfigurationError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
