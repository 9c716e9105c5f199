/** `npm run keys:rotate`: makes and publishes the next signing key of credentials and status lists. It signs an hour later, the first one at once. */
import { extensions } from './areas.ts';
import { addSigningKey } from './areas/credentials/index.ts';
import { ConfigurationError, environment, loadConfig, required } from './config.ts';
import { openRegistry } from './open-registry.ts';
import { systemClock } from './platform/clock.ts';
import { relayOnlyOutbox } from './platform/workflows/outbox.ts';

try {
  const config = loadConfig(environment(), 'keys');
  const keys = required(config, 'ENCRYPTION_KEY');
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 2);
  try {
    const made = await addSigningKey({ orm, extensions, clock: systemClock, outbox: relayOnlyOutbox }, keys);
    process.stdout.write(`signing key ${made?.kid}, signs from ${made?.signsFrom.toISOString()}\n`);
  } finally {
    await orm.close(true);
  }
} catch (error) {
  process.stderr.write(`keys:rotate: ${error instanceof ConfigurationError ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
