import { Client } from 'pg';
import { ConfigurationError, type Variables } from '../../src/registry/config.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { requireSafeStart } from '../../src/registry/require-safe-start.ts';
import { startTestPlatform } from '../support/test-platform.ts';

let started: Awaited<ReturnType<typeof startTestPlatform>>;
beforeAll(async () => {
  started = await startTestPlatform();
});
afterAll(() => started.close());

/** The platform in production mode. */
function inProduction(change: Partial<Variables> = {}) {
  const { platform } = started;
  return { ...platform, config: { ...platform.config, NODE_ENV: 'production' as const, ...change } };
}

test('the login of the service may start', async () => {
  await expect(requireSafeStart(inProduction({ STORAGE: 's3' }), 'api')).resolves.toBeUndefined();
  await expect(requireSafeStart(inProduction(), 'worker')).resolves.toBeUndefined();
});

test('a login that owns the tables or is a superuser is refused, unless UNSAFE_SETTINGS names it', async () => {
  const owner = await openRegistry(started.surroundings.database.ownerUrl, 1);
  try {
    const asOwner = (change: Partial<Variables> = {}) => ({ ...inProduction({ STORAGE: 's3', ...change }), orm: owner });
    await expect(requireSafeStart(asOwner(), 'api')).rejects.toThrow(/DATABASE_URL: the role \w+ (owns the tables|is a superuser)/);
    await requireSafeStart(asOwner({ UNSAFE_SETTINGS: ['privileged_database_role'] }), 'api');
  } finally {
    await owner.close(true);
  }
});

test('STORAGE=disk is refused while another API process runs', async () => {
  const other = new Client({ connectionString: started.surroundings.database.ownerUrl, application_name: 'registry api 12345678' });
  await other.connect();
  try {
    await expect(requireSafeStart(inProduction({ STORAGE: 'disk' }), 'api')).rejects.toThrow(ConfigurationError);
    await requireSafeStart(inProduction({ STORAGE: 'disk', ALLOW_SHARED_DISK: true }), 'api');
    await requireSafeStart(inProduction({ STORAGE: 'disk' }), 'worker');
  } finally {
    await other.end();
  }
});
