import { randomUUID } from 'node:crypto';
import { type Answer, sortTwins, TestClient } from '../support/client.ts';
import { type InsertedPerson, insertPeople, openRecord, topUp } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { findStaleDueDates } from '../support/stale-due-dates.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';

let api: TestApi;
let administrator: TestClient;
let people: InsertedPerson[];

const nationalCertificate = 1;
const membershipCard = 20;

beforeAll(async () => {
  api = await startTestApi();
  administrator = await api.administrator();
  await using record = openRecord(api.surroundings.database.ownerUrl);
  people = await insertPeople(record, 10, { administratorId: administrator.userId, dataDir: api.surroundings.config.DATA_DIR });
});
afterAll(() => api.close());

function nextPerson(): { person: InsertedPerson; client: TestClient } {
  const person = people.shift();
  if (!person) throw new Error('prepare more people');
  const client = new TestClient(api.url, person.key);
  client.userId = person.userId;
  return { person, client };
}

async function submitted(client: TestClient, person: InsertedPerson, serviceId: number): Promise<number> {
  const body = { profile_id: person.profileId, service_id: serviceId, document_ids: person.documentIds, data: {} };
  const { id } = client.expect(201, await client.post('/applications', body)).body.data;
  client.expect(200, await client.post(`/applications/${id}/submit`));
  return id;
}

/** The number of answers of each status. */
function tally(answers: Answer[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const times = (count: number, work: (index: number) => Promise<Answer>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

test('of fifty parallel invoices with one key and two amounts, one takes effect', async () => {
  const { person, client } = nextPerson();
  const amounts = ['5000.00', '6000.00'];
  const answers = await times(50, (index) => client.post('/invoices', { amount: amounts[index % 2] }, { 'idempotency-key': 'contested' }));
  const { effects, others } = sortTwins(answers);
  expect(effects).toHaveLength(1);
  for (const { body } of others) expect(body.error.code).toBe('idempotency_key_conflict');
  expect(await api.sql('select id from invoices where owner_id = $1', [person.userId])).toHaveLength(1);
});

test.each([
  ['one key', () => 'pay-once'],
  ['a key each', () => randomUUID()],
])('an application paid ten times in parallel with %s is charged once and gets one number', async (_name, makeKey) => {
  const { person, client } = nextPerson();
  const id = await submitted(client, person, nationalCertificate);
  await topUp(client, api.surroundings.bank.url, '50000.00');
  const answers = await times(10, () => client.post(`/applications/${id}/pay`, undefined, { 'idempotency-key': makeKey() }));
  const { effects, replays, others } = sortTwins(answers);
  expect([effects.length > 0, others]).toEqual([true, []]);
  expect(new Set([...effects, ...replays].map(({ body }) => body.data.number)).size).toBe(1);
  expect(await api.sql("select id from ledger_transactions where application_id = $1 and type = 'application_payment'", [id])).toHaveLength(
    1,
  );
});

test('an application that two administrators approve in parallel gets one number', async () => {
  const { person, client } = nextPerson();
  const id = await submitted(client, person, membershipCard);
  await topUp(client, api.surroundings.bank.url, '50000.00');
  const { revision } = client.expect(200, await client.post(`/applications/${id}/pay`)).body.data;
  const decision = { kind: 'application', id, decision: 'approve', revision };
  const answers = await times(6, () => administrator.post('/admin/review', decision));
  expect(tally(answers)).toEqual({ 200: 1, 409: 5 });
  expect(await api.sql('select number from certificates where application_id = $1', [id])).toHaveLength(1);
});

test('twelve different parallel commands on one application are each answered, and leave a consistent record', async () => {
  const { person, client } = nextPerson();
  const id = await submitted(client, person, nationalCertificate);
  await topUp(client, api.surroundings.bank.url, '50000.00');
  const { revision } = client.expect(200, await client.get(`/applications/${id}`)).body.data;
  const answers = await times(12, (index) => {
    switch (index % 4) {
      case 0:
        return client.post(`/applications/${id}/pay`, undefined, { 'idempotency-key': randomUUID() });
      case 1:
        return client.post(`/applications/${id}/submit`, undefined, { 'idempotency-key': randomUUID() });
      case 2:
        return client.post(`/applications/${id}/cancel`, { reason: 'changed my mind' }, { 'idempotency-key': randomUUID() });
      default:
        return administrator.post('/admin/review', { kind: 'application', id, decision: 'changes', note: 'please look again', revision });
    }
  });
  // A command that waited ten seconds in vain would be 503.
  for (const { status } of answers) expect([200, 409]).toContain(status);
  expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]);
  expect(await findStaleDueDates(api.surroundings.database.ownerUrl)).toEqual([]);
});
