import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { addSigningKey, encryptKeysAnew } from '../../../src/areas/credentials/index.ts';
import { listPublishedKeys, takeSigner } from '../../../src/areas/credentials/signing-keys.ts';
import { required } from '../../../src/registry/config.ts';
import { query } from '../../../src/platform/commands/command.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { startTestPlatform, type TestSurroundings } from '../../support/test-platform.ts';
import { Client } from 'pg';

/** Signing keys over time. The columns of a key are moved to the past, because keys live by the clock of the database. */
let platform: Platform;
let surroundings: TestSurroundings;
let close: () => Promise<void>;
let keys: string;

beforeAll(async () => {
  ({ platform, surroundings, close } = await startTestPlatform());
  keys = required(platform.config, 'ENCRYPTION_KEY');
});
afterAll(() => close());
// Each test begins with one key, which signs.
beforeEach(async () => {
  await sql('delete from signing_keys');
  await addSigningKey(platform, keys, { onlyFirst: true });
});

const published = async () => (await query(platform, listPublishedKeys)).map(({ kid }) => kid);
const signer = async () => (await query(platform, (db) => takeSigner(db, keys))).kid;

async function sql(statement: string): Promise<void> {
  const client = new Client({ connectionString: surroundings.database.ownerUrl });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function addKey(): Promise<string> {
  const made = await addSigningKey(platform, keys);
  if (made === null) throw new Error('no key was made');
  return made.kid;
}

test('VER-9: processes that start together make one first key, which signs at once', async () => {
  await sql('delete from signing_keys');
  await expect(signer()).rejects.toThrow('No signing key is in effect');
  const made = await Promise.all(Array.from({ length: 8 }, () => addSigningKey(platform, keys, { onlyFirst: true })));
  const [first, ...others] = made.filter((key) => key !== null);
  expect(others).toEqual([]);
  expect(await published()).toEqual([first?.kid]);
  expect(await signer()).toBe(first?.kid);
});

test('VER-9: `npm run registry -- keys` publishes the next key an hour before it signs', async () => {
  const old = await signer();
  const { config } = platform;
  const { stdout } = await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'keys'], {
    env: { ...process.env, NODE_ENV: 'test', DATA_DIR: config.DATA_DIR, DATABASE_URL: config.DATABASE_URL, ENCRYPTION_KEY: keys },
  });
  const [, next = ''] = /^signing key ([\w-]{43}), signs from \S+Z\n$/.exec(stdout) ?? [];
  expect(await published()).toEqual([next, old]);
  expect(await signer()).toBe(old);
  await sql(`update signing_keys set signs_from = signs_from - interval '59 minutes'`);
  expect(await signer()).toBe(old);
  await sql(`update signing_keys set signs_from = signs_from - interval '1 minute'`);
  expect(await signer()).toBe(next);
  expect(await published()).toEqual([next, old]);
});

test('VER-9: a key stays published until 400 days after its last signature', async () => {
  const old = await signer();
  const next = await addKey();
  await sql(`update signing_keys set signs_from = signs_from - interval '1 hour', last_signed_at = now() - interval '400 days'`);
  expect(await signer()).toBe(next);
  expect(await published()).toEqual([next, old]);
  await sql(`update signing_keys set last_signed_at = now() - interval '402 days' where kid = '${old}'`);
  expect(await published()).toEqual([next]);
});

test('VER-9: a private key is not readable without ENCRYPTION_KEY, and passes to its next key', async () => {
  const kid = await signer();
  const stored = await query(platform, (db) => db.selectFrom('signing_keys').select('privateKey').executeTakeFirstOrThrow());
  expect(stored.privateKey).not.toContain('PRIVATE KEY');
  const other = 'another-key-of-sixteen-characters-or-more';
  await expect(query(platform, (db) => takeSigner(db, other))).rejects.toThrow('ENCRYPTION_KEY');
  expect(await encryptKeysAnew(platform, 'a-third-key-that-decrypts-nothing')).toMatchObject({ changed: 0, unreadable: [kid] });
  expect(await encryptKeysAnew(platform, `${other},${keys}`)).toMatchObject({ changed: 1, unreadable: [] });
  expect(await encryptKeysAnew(platform, `${other},${keys}`)).toMatchObject({ changed: 0, unreadable: [] });
  expect((await query(platform, (db) => takeSigner(db, other))).kid).toBe(kid);
});
