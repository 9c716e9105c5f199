import { randomUUID } from 'node:crypto';
import { findBrokenInvariants } from '../support/invariants.ts';
import type { PreparedPerson } from '../support/prepared-people.ts';
import { TestClient } from '../support/client.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { startFaultStack } from './fault-stack.ts';
import type { FaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, moments, release, whenReached } from './moments.ts';

/** A first command after a restart must not wait for what the dead worker still held. */
const recoveryMs = 3_000;

let faultStack: FaultStack;
let people: PreparedPerson[];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/mortal-worker.ts' });
  people = await faultStack.people(10);
}, 120_000);
afterAll(() => faultStack.stop(), 60_000);

function nextPerson(): { person: PreparedPerson; client: CarefulClient; watch: Watch } {
  const person = people.shift();
  if (!person) throw new Error('prepare more people');
  const watch = new Watch();
  return { person, watch, client: new CarefulClient(faultStack.baseUrl, person.key, watch) };
}

/** A submitted application and the money for it. */
async function readyToPay(client: CarefulClient, person: PreparedPerson): Promise<number> {
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  const { id } = (await client.send('POST', '/applications', { body })).body.data;
  await client.send('POST', `/applications/${id}/submit`, { key: randomUUID() });
  const invoice = (await client.send('POST', '/invoices', { body: { amount: '20000.00' }, key: randomUUID() })).body.data;
  await client.send('POST', `/invoices/${invoice.id}/checkout`);
  await fetch(`${faultStack.stack.bankUrl}/control/${invoice.number}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ outcome: 'paid' }),
  });
  await client.send('POST', `/invoices/${invoice.id}/verify`);
  return id;
}

/** How often an application was charged, approved and numbered. */
async function effectsOn(applicationId: number): Promise<unknown> {
  const [row] = await faultStack.sql(
    `select (select count(*)::int from ledger_transactions where application_id = $1) as charges,
       (select count(*)::int from audit_events where action = 'application.paid' and subject_id = $1::text) as paid,
       (select count(*)::int from audit_events where action = 'application.approved' and subject_id = $1::text) as approved,
       (select count(*)::int from certificates where application_id = $1) as certificates,
       (select count(*)::int from receipts where workflow_id = 'application/' || $1) as receipts`,
    [applicationId],
  );
  return row;
}

// Two receipts: one for the submission, one for the payment.
const onceEach = { charges: 1, paid: 1, approved: 1, certificates: 1, receipts: 2 };

describe('the worker is killed outright in the middle of a payment', () => {
  test.each(moments)('%s its transaction', async (moment) => {
    const { person, client, watch } = nextPerson();
    const id = await readyToPay(client, person);
    const { dataDir, parts } = faultStack.stack;
    const { restarts } = parts.worker;
    arm(dataDir, { activity: 'payApplication', moment, act: 'die' });
    const paid = await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    await whenReached(dataDir);
    expect(paid.body.data).toMatchObject({ paid: true, status: 'approved' });
    expect(parts.worker.restarts).toBe(restarts + 1);
    expect(await effectsOn(id)).toEqual(onceEach);
    expect(watch.surprises).toEqual([]);
  });
});

test('the worker is killed outright when it has drawn the certificate but told nobody: the PDF is there, whole', async () => {
  const { person, client } = nextPerson();
  const id = await readyToPay(client, person);
  const { dataDir } = faultStack.stack;
  arm(dataDir, { activity: 'makeCertificate', moment: 'before', act: 'die' });
  await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  await whenReached(dataDir);
  const pdf = await client.send('GET', `/applications/${id}/certificate`);
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const [kept] = await faultStack.sql<{ pdf_size: number }>('select pdf_size from certificates where application_id = $1', [id]);
  expect(pdf.bytes.length).toBe(kept?.pdf_size);
});

test('the API is killed between the effect and its answer: the repeat with the same key gets the answer, the effect stays one', async () => {
  const { person, client } = nextPerson();
  const id = await readyToPay(client, person);
  const { dataDir, parts } = faultStack.stack;
  arm(dataDir, { activity: 'payApplication', moment: 'after', act: 'hold' });
  const payer = new TestClient(faultStack.baseUrl, person.key);
  const isAnswered = payer.post(`/applications/${id}/pay`, undefined, { 'idempotency-key': 'pay-once' }).then(
    () => true,
    () => false,
  );
  await whenReached(dataDir);
  expect(await effectsOn(id)).toEqual(onceEach);
  await partOf(faultStack.stack, 'api').kill('SIGKILL');
  expect(await isAnswered).toBe(false);
  release(dataDir);
  await parts.api.whenReady();
  const repeated = await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  expect(repeated.body.data).toMatchObject({ paid: true, status: 'approved' });
  expect(await effectsOn(id)).toEqual(onceEach);
});

test('a command that is sent as soon as a killed worker is back does not wait for what the dead one held', async () => {
  const { person, client } = nextPerson();
  const id = await readyToPay(client, person);
  const { worker } = faultStack.stack.parts;
  await worker.kill('SIGKILL');
  await worker.whenReady();
  const startedAt = performance.now();
  await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  expect(performance.now() - startedAt).toBeLessThan(recoveryMs);
});

test('the record is whole after all this', async () => {
  expect(await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
});
