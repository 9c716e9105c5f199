/**
 * `npm run secrets:encrypt`: encrypts the secrets of the database with the first key of ENCRYPTION_KEY, so that the former keys can be
 * removed from it. May be interrupted and repeated.
 */
import { extensions } from './areas.ts';
import { encryptSecretsAnew } from './areas/accounts/index.ts';
import { encryptKeysAnew } from './areas/credentials/index.ts';
import { encryptWebhookSecretsAnew } from './areas/webhooks/index.ts';
import { loadConfig, loadStackEnvironment, required } from './config.ts';
import { openRegistry } from './open-registry.ts';
import { systemClock } from './platform/clock.ts';
import { relayOnlyOutbox } from './platform/workflows/outbox.ts';

try {
  loadStackEnvironment();
  const config = loadConfig();
  const keys = required(config, 'ENCRYPTION_KEY');
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 1);
  try {
    const platform = { orm, clock: systemClock, extensions, outbox: relayOnlyOutbox };
    const changed = await encryptSecretsAnew(platform, config);
    const signing = await encryptKeysAnew(platform, keys);
    const webhooks = await encryptWebhookSecretsAnew(platform, keys);
    process.stdout.write(
      `Encrypted ${changed} second factors, ${signing} signing keys and ${webhooks} webhooks anew. No secret needs the other keys of ENCRYPTION_KEY any more.\n`,
    );
  } finally {
    await orm.close(true);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
