import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpRows } from '../areas/privacy/dump-rows.ts';
import type { InsertedPerson } from '../support/factories.ts';
import { TestClient } from '../support/client.ts';
import { codeOf } from '../support/refusals.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { waitFor } from '../support/wait-for.ts';
import { readyToPay } from './applicant.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, type Moment, release, whenReached } from './moments.ts';

/** An erasure that is killed anywhere, while the account works on, ends whole: nothing names the person, and what others need stands (PRV-5). */
const places: [string, string, Moment, number][] = [
  ['before it commits the closing', 'eraseAccount', 'inside', 1],
  ['when the account is closed and its records stand', 'eraseAccount', 'after', 1],
  ['before it commits the erasure of the records', 'eraseAccount', 'inside', 2],
  ['when the records are erased and the account is not listed', 'eraseAccount', 'after', 2],
  ['when the account is listed', 'eraseAccount.put', 'after', 1],
  ['between two files', 'eraseAccount.delete', 'after', 2],
];
const name = 'Кетуші';
const mail = 'ketushi-';
const dayMs = 24 * 60 * 60_000;

let faultStack: FaultStack;
let people: InsertedPerson[];
const watch = new Watch();
/** The keys of what the storage has of these people. */
const stored: string[] = [];

const pathOf = (key: string) => join(faultStack.stack.dataDir, 'files', key);

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts' });
  people = await faultStack.people(places.length + 1);
  const administrator = await signIn();
  for (const person of people) {
    await faultStack.sql(`update users set name = '${name} ' || id, email = '${mail}' || id || '@example.kz' where id = $1`, [
      person.userId,
    ]);
    await faultStack.sql(`update profiles set data = data || '{"last_name": "${name}", "iin": "900517300128"}' where id = $1`, [
      person.profileId,
    ]);
    const client = new CarefulClient(faultStack.baseUrl, person.key, watch);
    const id = await readyToPay(faultStack, client, person);
    await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    await client.send('GET', `/applications/${id}/certificate`);
    const [wallet] = await faultStack.sql<{ amount: string }>(
      `select to_char(balance_minor / 100.0, 'FM999999990.00') as amount from wallets where user_id = $1`,
      [person.userId],
    );
    const correction = { user_id: person.userId, amount: wallet?.amount, direction: 'debit', reason: 'Paid out in cash' };
    administrator.expect(
      201,
      await administrator.post(
        '/admin/ledger/corrections',
        { ...correction, password: administrator.password },
        { 'idempotency-key': `out-${id}` },
      ),
    );
    const keys = await faultStack.sql<{ key: string }>(
      `select storage_key as key from files where owner_id = $1 union all select pdf_storage_key from certificates where application_id = $2`,
      [person.userId, id],
    );
    stored.push(...keys.map(({ key }) => key).filter((key) => existsSync(pathOf(key))));
  }
});
afterAll(() => faultStack.stop());

/** Sessions end on the journeys. */
async function signIn(): Promise<TestClient> {
  const { baseUrl, stack } = faultStack;
  const administrator = new TestClient(baseUrl);
  await administrator.login(stack.administrator.email, stack.administrator.password);
  return administrator;
}

/** Travels, and begins what is then due; a sweep whose worker dies answers late, or not at all. */
async function travel(ms: number): Promise<void> {
  const client = new TestClient(faultStack.baseUrl);
  const now = Date.parse((await client.get('/sandbox/clock')).body.data.now);
  client.expect(200, await client.put('/sandbox/clock', { now: new Date(now + ms).toISOString() }));
  void client.post('/sandbox/sweep').catch(() => undefined);
}

async function request({ userId }: InsertedPerson): Promise<void> {
  const administrator = await signIn();
  const body = { reason: `The paper of ${name}`, password: administrator.password };
  administrator.expect(202, await administrator.post(`/admin/users/${userId}/erasure`, body));
}

const statusOf = async (userId: number) =>
  (
    await faultStack.sql<{ status: string; purged: boolean }>(
      `select status, purged_at is not null as purged from account_erasures where id = $1`,
      [userId],
    )
  )[0];

/** Changes and writes with the key of a person until it is refused, whatever dies meanwhile. @returns the answers */
async function workOn({ key, profileId }: InsertedPerson): Promise<Set<string>> {
  const client = new TestClient(faultStack.baseUrl, key);
  const seen = new Set<string>();
  for (let count = 1; !seen.has('401 unauthenticated'); count += 1) {
    const sent = [
      client.patch(`/profiles/${profileId}`, { data: { city: `${name} ${count}` } }),
      client.post('/chat/messages', { message: `${name} ${count}` }, { 'idempotency-key': `chat-${count}` }),
    ];
    for (const answer of await Promise.all(sent.map((each) => each.then(codeOf, () => 'no answer')))) seen.add(answer);
  }
  return seen;
}

test.each(places)('the worker dies %s', async (where, activity, moment, nth) => {
  const person = people[places.findIndex(([place]) => place === where)];
  if (person === undefined) throw new Error('prepare more people');
  await request(person);
  const working = workOn(person);
  arm(faultStack.stack.dataDir, { activity, moment, nth, act: 'die' });
  await travel(14 * dayMs + 1_000);
  await whenReached(faultStack.stack.dataDir);
  await waitFor(
    () => statusOf(person.userId),
    (state) => state?.purged === true,
    'the erasure to end',
  );
  expect([...(await working)].filter((code) => /^5(?!03)/.test(code))).toEqual([]);
});

test('the database dies inside of the erasure of the records', async () => {
  const person = people.at(-1);
  if (person === undefined) throw new Error('prepare more people');
  await request(person);
  const working = workOn(person);
  arm(faultStack.stack.dataDir, { activity: 'eraseAccount', moment: 'inside', nth: 2, act: 'hold' });
  await travel(14 * dayMs + 1_000);
  await whenReached(faultStack.stack.dataDir);
  await partOf(faultStack.stack, 'postgres').kill('SIGKILL');
  release(faultStack.stack.dataDir);
  await faultStack.stack.processes.postgres?.whenReady();
  await waitFor(
    () => statusOf(person.userId).catch(() => undefined),
    (state) => state?.purged === true,
    'the erasure to end',
  );
  expect([...(await working)].filter((code) => /^5(?!03)/.test(code))).toEqual([]);
});

test('afterwards no row, file or log names them, each is erased once, their certificates are verified, and the record is consistent', async () => {
  await travel(dayMs + 1_000);
  for (const { userId } of people)
    await waitFor(
      () => statusOf(userId),
      (state) => state?.status === 'done',
      'the second look',
    );
  const ids = people.map(({ userId }) => userId);
  const rows = await dumpRows({ sql: faultStack.sql });
  const secrets = [name, mail, JSON.stringify(name).slice(1, -1), '900517300128'];
  const named = (text: string) => secrets.some((secret) => text.includes(secret));
  expect(rows.filter(([, row]) => named(row))).toEqual([]);
  expect(stored.length).toBeGreaterThan(people.length);
  expect(stored.filter((key) => existsSync(pathOf(key)))).toEqual([]);
  const logs = join(faultStack.stack.dataDir, 'logs');
  expect(readdirSync(logs).length).toBeGreaterThan(3);
  expect(readdirSync(logs).filter((file) => named(readFileSync(join(logs, file), 'utf8')))).toEqual([]);
  expect(
    await faultStack.sql(
      `select u.id from users u where u.id = any ($1) and (u.erased_at is null
         or (select count(*) from audit_events where action = 'account.erased' and subject_id = u.id::text) <> 1)`,
      [ids],
    ),
  ).toEqual([]);
  const certificates = await faultStack.sql<{ token: string }>(
    `select c.token from certificates c join applications a on a.id = c.application_id join profiles p on p.id = a.profile_id where p.owner_id = any ($1)`,
    [ids],
  );
  expect(certificates).toHaveLength(people.length);
  const reader = new TestClient(faultStack.baseUrl);
  for (const { token } of certificates)
    expect(reader.expect(200, await reader.get(`/verify/${token}`)).body.data.number).toEqual(expect.any(String));
  expect(await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
});
