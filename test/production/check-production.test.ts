import { checkProduction } from '../../src/cli/check-production.ts';
import { makeSurroundings, type TestSurroundings } from '../support/test-platform.ts';

let surroundings: TestSurroundings;
beforeAll(async () => {
  surroundings = await makeSurroundings();
});
afterAll(() => surroundings.close());

async function verdicts(change: Partial<TestSurroundings['config']> = {}): Promise<Record<string, string>> {
  const findings = await checkProduction({ ...surroundings.config, MIGRATION_DATABASE_URL: surroundings.database.ownerUrl, ...change });
  return Object.fromEntries(findings.map(({ part, verdict, words }) => [part, `${verdict}: ${words}`]));
}

test('tries each part, and calls what works but should change weak', async () => {
  expect(await verdicts()).toEqual({
    'database, service': expect.stringMatching(/^ok: \w+ on PostgreSQL \d+; cannot change the ledger$/),
    'database, owner': expect.stringMatching(/^ok: \w+ may create tables$/),
    'database, schema': 'ok: this release',
    // No API or worker has started on this database.
    'signing key': expect.stringMatching(/^wrong: No signing key is in effect/),
    temporal: expect.stringMatching(/^weak: 127\.0\.0\.1:\d+, namespace t\w+: finished processes are kept for \d+ days/),
    storage: expect.stringMatching(/^weak: disk: a file was stored and deleted/),
    mail: 'weak: SMTP_URL is missing: mails are written to files',
    bank: 'ok: answers; no invoice was asked about',
    'second factors': 'ok: optional; SECOND_FACTOR=administrators demands them',
    scanner: 'weak: CLAMAV_URL is missing: uploads are not scanned for viruses',
  });
});

test('says in words what is wrong, and tries the other parts', async () => {
  const { ownerUrl } = surroundings.database;
  const found = await verdicts({
    DATABASE_URL: ownerUrl,
    MIGRATION_DATABASE_URL: surroundings.config.DATABASE_URL,
    TEMPORAL_ADDRESS: '127.0.0.1:1',
    BANK_URL: 'http://127.0.0.1:1',
    SMTP_URL: 'smtp://127.0.0.1:1',
    CLAMAV_URL: 'tcp://127.0.0.1:1',
    DATA_DIR: '/proc/nowhere',
  });
  expect(found).toMatchObject({
    'database, service': expect.stringMatching(/^wrong: DATABASE_URL: the role \w+ /),
    'database, owner': expect.stringMatching(/^wrong: The role \w+ may not create tables/),
    temporal: expect.stringContaining('wrong: Cannot reach Temporal at 127.0.0.1:1'),
    bank: 'wrong: the bank cannot be reached',
    mail: expect.stringMatching(/^wrong: Cannot use SMTP server 127\.0\.0\.1:1 \(\w+\)\. Check SMTP_URL\.$/),
  });
  expect(found['storage']).toMatch(/^wrong: /);
  expect(found['scanner']).toMatch(/^wrong: /);
});
