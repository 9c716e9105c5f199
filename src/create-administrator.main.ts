/**
 * `npm run admin:create`: creates the administrator of ADMIN_EMAIL, if the registry has none. Without ADMIN_PASSWORD it generates a
 * password and prints it once, as the last line: `administrator <email> <password>`. Prints nothing to standard output when an
 * administrator exists.
 */
import { extensions } from './areas.ts';
import { createFirstAdministrator, isCommonPassword, makeToken } from './areas/accounts/index.ts';
import { ConfigurationError, environment, loadConfig, required } from './config.ts';
import { isDomainError } from './errors.ts';
import { sandboxClock, systemClock } from './platform/clock.ts';
import { openRegistry } from './open-registry.ts';
import { relayOnlyOutbox } from './platform/workflows/outbox.ts';

try {
  const config = loadConfig(environment(), 'administrator');
  const { ADMIN_EMAIL: email, ADMIN_PASSWORD: given } = config;
  if (given !== undefined && isCommonPassword(given)) throw new ConfigurationError(['ADMIN_PASSWORD is a common password; choose another']);
  const orm = await openRegistry(required(config, 'DATABASE_URL'), 2);
  try {
    const password = given ?? makeToken().slice(0, 20);
    const platform = { orm, clock: config.SANDBOX ? sandboxClock : systemClock, extensions, outbox: relayOnlyOutbox };
    const isNew = await createFirstAdministrator(platform, { email, password });
    if (isNew) process.stdout.write(`administrator ${email}${given === undefined ? ` ${password}` : ''}\n`);
    else if (process.stdout.isTTY) process.stderr.write('An administrator exists; nothing was changed.\n');
  } finally {
    await orm.close(true);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

function explain(error: unknown): string {
  if (isDomainError(error) && error.code === 'email_taken')
    return 'an account without administrator rights has the address of ADMIN_EMAIL; choose another';
  if (error instanceof ConfigurationError || !(error instanceof Error)) return error instanceof Error ? error.message : String(error);
  return error.stack ?? error.message;
}
