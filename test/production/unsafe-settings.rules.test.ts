import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, loadConfig, loadMigrationConfig } from '../../src/registry/config.ts';

const secret = 'kX93mQpZ71vTbR84wLsYd20hNcJf56gA';
const safe = {
  NODE_ENV: 'production',
  BASE_URL: 'https://registry.example.kz',
  DATABASE_URL: 'postgres://registry_app:secret@db.example.kz/registry',
  TEMPORAL_ADDRESS: 'temporal.example.kz:7233',
  SESSION_SECRET: secret,
  ENCRYPTION_KEY: secret,
  METRICS_PORT: '9464',
  BANK_URL: 'https://bank.example.kz',
  BANK_TERMINAL: 'T1',
  BANK_SECRET: `${secret}bank`,
  SMTP_URL: 'smtps://user:secret@mail.example.kz',
  MAIL_FROM: 'Registry <registry@example.kz>',
};

function problemsOf(env: Record<string, string | undefined>): readonly string[] {
  try {
    loadConfig(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

test('a safe production starts', () => {
  expect(problemsOf(safe)).toEqual([]);
});

test('administrators cannot be asked for a second factor that nobody can set up', () => {
  const environment = { NODE_ENV: 'development', SECOND_FACTOR: 'administrators' };
  expect(problemsOf(environment)).toEqual(['ENCRYPTION_KEY is missing: SECOND_FACTOR is administrators']);
  expect(problemsOf({ ...environment, ENCRYPTION_KEY: secret })).toEqual([]);
});

test('accepts 32 random hexadecimal digits, of which one secret in 60 has eleven different ones or fewer', () => {
  expect(problemsOf({ ...safe, SESSION_SECRET: '40912f4a2419b94f0922c114904012ff' })).toEqual([]);
});

test.each([
  ['weak_secrets', { SESSION_SECRET: 'compose-session-secret-compose-session-secret' }, 'SESSION_SECRET is published in the repository'],
  ['weak_secrets', { BANK_SECRET: 'short-bank-secret' }, 'BANK_SECRET is shorter than 32 characters'],
  ['weak_secrets', { SESSION_SECRET: `${secret},${'a'.repeat(64)}` }, 'SESSION_SECRET is not random: it repeats few characters'],
  ['weak_secrets', { ENCRYPTION_KEY: `${secret},${'a'.repeat(64)}` }, 'ENCRYPTION_KEY is not random: it repeats few characters'],
  ['weak_secrets', { SESSION_SECRET: 'a'.repeat(64) }, 'SESSION_SECRET is not random: it repeats few characters'],
  ['plain_http', { BASE_URL: 'http://registry.example.kz' }, 'BASE_URL is not https'],
  ['plain_http', { BANK_URL: 'http://bank.example.kz' }, 'BANK_URL is not https'],
  ['plain_http', { S3_ENDPOINT: 'http://storage:9000' }, 'S3_ENDPOINT is not https'],
  ['smtp_without_tls', { SMTP_URL: 'smtp://user:secret@mail.example.kz:587' }, 'SMTP_URL sends the login without enforced TLS'],
  ['default_mail_from', { MAIL_FROM: undefined }, 'MAIL_FROM is missing'],
  ['unknown_variables', { SESION_SECRET: secret }, 'SESION_SECRET is unknown: SESSION_SECRET is meant?'],
  ['unknown_variables', { TRUST_PROXYS: '10.0.0.1' }, 'TRUST_PROXYS is unknown: TRUST_PROXY is meant?'],
])('production refuses %s, unless UNSAFE_SETTINGS names it: %j', (setting, change: Record<string, string | undefined>, words) => {
  expect(problemsOf({ ...safe, ...change })).toEqual([expect.stringContaining(words)]);
  expect(problemsOf({ ...safe, ...change, UNSAFE_SETTINGS: `${setting}, shared_disk` })).toEqual([]);
});

test('all problems come in one list', () => {
  const problems = problemsOf({ ...safe, BASE_URL: 'http://registry.example.kz', BANK_SECRET: 'short', MAIL_FROM: undefined });
  expect(problems).toHaveLength(3);
});

test('addresses on loopback, enforced TLS and common variables of the system are accepted', () => {
  const local = {
    BASE_URL: 'http://localhost:8080',
    BANK_URL: 'http://127.0.0.1:8090',
    SMTP_URL: 'smtp://user:x@mail.example.kz?requireTLS=true',
  };
  expect(problemsOf({ ...safe, ...local, PATH: '/bin', HOME: '/', HOSTNAME: 'a', LANG: 'C', PWD: '/', TEMPORAL_DEBUG: 'true' })).toEqual(
    [],
  );
});

test('an unknown name in UNSAFE_SETTINGS is refused', () => {
  expect(problemsOf({ ...safe, UNSAFE_SETTINGS: 'everything' })).toEqual([expect.stringContaining('unknown name "everything"')]);
});

test('NODE_ENV is required where the addresses are those of a production', () => {
  const { NODE_ENV: _, ...withoutEnvironment } = safe;
  expect(problemsOf(withoutEnvironment)).toEqual([expect.stringContaining('NODE_ENV is missing')]);
  expect(problemsOf({ ...withoutEnvironment, NODE_ENV: 'development' })).toEqual([]);
  expect(problemsOf({})).toEqual([]);
});

test('a secret may come from a file, but not from both', () => {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  const path = join(folder, 'session');
  writeFileSync(path, `${secret}\n`);
  const { SESSION_SECRET: _, ...rest } = safe;
  expect(loadConfig({ ...rest, SESSION_SECRET_FILE: path }).SESSION_SECRET).toBe(secret);
  expect(problemsOf({ ...safe, SESSION_SECRET_FILE: path })).toEqual(['SESSION_SECRET and SESSION_SECRET_FILE are both set: keep one']);
  expect(problemsOf({ ...rest, SESSION_SECRET_FILE: join(folder, 'none') })).toEqual(
    expect.arrayContaining([expect.stringMatching(/^SESSION_SECRET_FILE: cannot read .*\(ENOENT\)$/)]),
  );
});

test('a migration needs the variables of the database, and knows those of the storage', () => {
  expect(loadMigrationConfig({ NODE_ENV: 'production', DATABASE_URL: safe.DATABASE_URL })).toEqual({
    databaseUrl: safe.DATABASE_URL,
    migrationUrl: safe.DATABASE_URL,
    storage: expect.objectContaining({ STORAGE: 'disk', DATA_DIR: '.data' }),
  });
  expect(() => loadMigrationConfig({})).toThrow('DATABASE_URL is missing');
});
