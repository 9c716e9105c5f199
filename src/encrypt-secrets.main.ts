/**
 * `npm run secrets:encrypt`: encrypts the secrets of the database with the first key of ENCRYPTION_KEY, so that the former keys can be
 * removed from it. May be interrupted and repeated. Goes on after a secret that no key decrypts, and names it at the end with exit code 1.
 */
import { extensions } from './areas.ts';
import { encryptSecretsAnew } from './areas/accounts/index.ts';
import { encryptKeysAnew } from './areas/credentials/index.ts';
import { encryptWebhookSecretsAnew } from './areas/webhooks/index.ts';
import { environment, loadConfig, loadStackEnvironment, required } from './config.ts';
import { openRegistry } from './open-registry.ts';
import { systemClock } from './platform/clock.ts';
import { relayOnlyOutbox } from './platform/workflows/outbox.ts';

try {
  loadStackEnvironment();
  const config = loadConfig(environment(), 'keys');
  const keys = required(config, 'ENCRYPTION_KEY');
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 1);
  try {
    const platform = { orm, clock: systemClock, extensions, outbox: relayOnlyOutbox };
    const factors = await encryptSecretsAnew(platform, keys);
    const signing = await encryptKeysAnew(platform, keys);
    const webhooks = await encryptWebhookSecretsAnew(platform, keys);
    process.stdout.write(
      `Encrypted ${factors.changed} second factors, ${signing.changed} signing keys and ${webhooks.changed} webhooks anew.\n`,
    );
    const unreadable = [
      ...factors.unreadable.map((id) => `second factor of user ${id}`),
      ...signing.unreadable.map((id) => `signing key ${id}`),
      ...webhooks.unreadable.map((id) => `webhook ${id}`),
    ];
    if (unreadable.length === 0) process.stdout.write('No secret needs the other keys of ENCRYPTION_KEY any more.\n');
    else {
      process.stderr.write(
        `No key of ENCRYPTION_KEY decrypts the secrets of these records. Add the key that encrypted them to its end and run this again, or replace the secrets (docs/security.md).\n${unreadable.map((line) => `  ${line}\n`).join('')}`,
      );
      process.exitCode = 1;
    }
  } finally {
    await orm.close(true);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
