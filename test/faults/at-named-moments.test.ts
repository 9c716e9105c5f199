import { Client, Connection } from '@temporalio/client';
import { randomUUID } from 'node:crypto';
import { TestClient } from '../support/client.ts';
import { athleteData, type InsertedPerson } from '../support/factories.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { findStaleDueDates } from '../support/stale-due-dates.ts';
import { makeScan } from '../support/papers/scans.ts';
import { readStatusList } from '../support/credentials/status-list.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';
import { arm, type Moment, moments, release, whenReached } from './moments.ts';
import { readyToPay } from './applicant.ts';
import { checkStatusLists } from './verdict.ts';

/** A dead worker's workflow task is given to another after three seconds, its transaction's locks after less. */
const recoveryMs = 3_000;

let faultStack: FaultStack;
let people: InsertedPerson[];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts', api: 'test/faults/crashing-api.ts' });
  people = await faultStack.people(23);
});
afterAll(() => faultStack.stop());

function nextPerson(): { person: InsertedPerson; client: CarefulClient; watch: Watch } {
  const person = people.shift();
  if (!person) throw new Error('prepare more people');
  const watch = new Watch();
  return { person, watch, client: new CarefulClient(faultStack.baseUrl, person.key, watch) };
}

/** How often an application was charged, approved and numbered. */
async function effectsOn(applicationId: number): Promise<unknown> {
  const [row] = await faultStack.sql(
    `select (select count(*)::int from ledger_transactions where application_id = $1) as charges,
       (select count(*)::int from audit_events where action = 'application.paid' and subject_id = $1::text) as paid,
       (select count(*)::int from audit_events where action = 'application.approved' and subject_id = $1::text) as approved,
       (select count(*)::int from certificates where application_id = $1) as certificates`,
    [applicationId],
  );
  return row;
}

const onceEach = { charges: 1, paid: 1, approved: 1, certificates: 1 };

describe('the worker is killed during a payment', () => {
  test.each(moments)('%s its transaction', async (moment) => {
    const { person, client, watch } = nextPerson();
    const id = await readyToPay(faultStack, client, person);
    const { dataDir, processes } = faultStack.stack;
    const { restarts } = processes.worker;
    arm(dataDir, { activity: 'application.pay', moment, act: 'die' });
    const paid = await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    await whenReached(dataDir);
    expect(paid.body.data).toMatchObject({ paid: true, status: 'approved' });
    expect(processes.worker.restarts).toBe(restarts + 1);
    expect(await effectsOn(id)).toEqual(onceEach);
    expect(watch.surprises).toEqual([]);
  });
});

test('the worker is killed after it has drawn the certificate but before the signal: the PDF is complete', async () => {
  const { person, client } = nextPerson();
  const id = await readyToPay(faultStack, client, person);
  const { dataDir } = faultStack.stack;
  arm(dataDir, { activity: 'makeCertificate', moment: 'before', act: 'die' });
  await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  await whenReached(dataDir);
  const pdf = await client.send('GET', `/applications/${id}/certificate`);
  expect(pdf.bytes.subarray(0, 5).toString()).toBe('%PDF-');
  const [kept] = await faultStack.sql<{ pdf_size: number }>('select pdf_size from certificates where application_id = $1', [id]);
  expect(pdf.bytes.length).toBe(kept?.pdf_size);
});

describe('the worker is killed while it makes an edition of a status list', () => {
  test.each(moments)('%s its transaction: the next worker makes it', async (moment) => {
    const { person, client } = nextPerson();
    const id = await readyToPay(faultStack, client, person);
    await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    await waitFor(
      () => faultStack.sql('select 1 from status_lists where issued_at is null union all select 1 from status_list_changes'),
      (waiting) => waiting.length === 0,
      'the list to be current',
    );
    const { dataDir } = faultStack.stack;
    arm(dataDir, { activity: 'makeStatusList', moment, act: 'die' });
    const { revision } = (await client.send('GET', `/applications/${id}`)).body.data;
    const administrator = new CarefulClient(faultStack.baseUrl, faultStack.administratorKey, new Watch());
    const body = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
    await administrator.send('POST', '/admin/review', { body, key: `cancel-${id}` });
    await whenReached(dataDir);
    expect(await checkStatusLists(faultStack)).toEqual([]);
    const [place] = await faultStack.sql<{ place: number }>('select place from credentials where application_id = $1', [id]);
    expect((await readStatusList(faultStack.baseUrl))?.statusAt(place?.place ?? -1)).toBe(1);
  });
});

test('the API is killed between effect and answer: a repeat with the same key gets the answer, and the effect stays single', async () => {
  const { person, client } = nextPerson();
  const id = await readyToPay(faultStack, client, person);
  const { dataDir, processes } = faultStack.stack;
  arm(dataDir, { activity: 'application.pay', moment: 'after', act: 'hold' });
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
  await processes.api.whenReady();
  const repeated = await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  expect(repeated.body.data).toMatchObject({ paid: true, status: 'approved' });
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(await effectsOn(id)).toEqual(onceEach);
});

describe.each(['before', 'after'] as const)('the API is killed between commit and answer, %s the answer is stored', (moment) => {
  const writes: [string, (person: InsertedPerson) => Promise<{ path: string; body?: unknown; file?: Buffer; purpose?: string }>, string][] =
    [
      [
        'applications',
        async ({ profileId, documentIds }) => ({
          path: '/applications',
          body: { profile_id: profileId, service_id: 20, document_ids: documentIds, data: {} },
        }),
        'select id from applications where profile_id = $2 and owner_id = $1',
      ],
      [
        'profiles',
        async () => ({ path: '/profiles', body: { kind: 'athlete', data: athleteData } }),
        'select id from profiles where owner_id = $1 and id <> $2',
      ],
      [
        'files',
        async () => ({ path: '/files', file: await makeScan('sent twice'), purpose: 'identity' }),
        "select id from files where owner_id = $1 and purpose = 'identity' and name = 'scan.pdf' and $2::int is not null and deleted_at is null",
      ],
    ];
  test.each(writes)('a repeat of POST /%s gets the answer of the first request', async (_name, prepare, select) => {
    const { person, client, watch } = nextPerson();
    const { dataDir, processes } = faultStack.stack;
    const { path, ...sending } = await prepare(person);
    const found = () => faultStack.sql<{ id: number | string }>(select, [person.userId, person.profileId]);
    const before = new Set((await found()).map(({ id }) => id));
    const { restarts } = processes.api;
    arm(dataDir, { activity: 'answer', moment, act: 'die' });
    const key = randomUUID();
    const repeated = await client.send('POST', path, { ...sending, key });
    await whenReached(dataDir);
    expect([repeated.status, repeated.headers.get('location'), repeated.headers.get('idempotent-replayed')]).toEqual([
      201,
      `/api/v1${path}/${repeated.body.data.id}`,
      'true',
    ]);
    expect([repeated.attempts > 1, processes.api.restarts]).toEqual([true, restarts + 1]);
    expect((await found()).map(({ id }) => id).filter((id) => !before.has(id))).toEqual([repeated.body.data.id]);
    expect(watch.surprises).toEqual([]);
  });
});

/** How many turns the process of an application has taken in its current run. */
async function turnsOf(applicationId: number): Promise<number> {
  const connection = await Connection.connect({ address: faultStack.stack.temporalAddress });
  try {
    const { events } = await new Client({ connection }).workflow.getHandle(`application/${applicationId}`).fetchHistory();
    return events?.filter((event) => event.workflowTaskCompletedEventAttributes).length ?? 0;
  } finally {
    await connection.close();
  }
}

/** Sends a payment that pauses at a moment of its transaction. */
async function heldPayment(moment: Moment) {
  const { person, client, watch } = nextPerson();
  const id = await readyToPay(faultStack, client, person);
  const turnsBefore = await turnsOf(id);
  arm(faultStack.stack.dataDir, { activity: 'application.pay', moment, act: 'hold' });
  const paid = client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
  await whenReached(faultStack.stack.dataDir);
  return { id, paid, watch, turnsBefore };
}

describe('a step pauses in the middle of its transaction', () => {
  test('for longer than a workflow task: the task is extended, and the payment is made once', async () => {
    const { id, paid, turnsBefore } = await heldPayment('inside');
    // The worker extends the workflow task with a heartbeat, which counts as another turn.
    await waitFor(
      () => turnsOf(id),
      (turns) => turns >= turnsBefore + 2,
      'the task to be extended',
    );
    release(faultStack.stack.dataDir);
    expect((await paid).body.data).toMatchObject({ paid: true, status: 'approved' });
    expect(await effectsOn(id)).toEqual(onceEach);
  });

  test.each(moments)('and Temporal restarts in the meantime (%s the transaction)', async (moment) => {
    const { id, paid } = await heldPayment(moment);
    const { stack } = faultStack;
    const temporal = partOf(stack, 'temporal');
    await temporal.kill('SIGKILL');
    await temporal.whenReady();
    release(stack.dataDir);
    expect((await paid).body.data).toMatchObject({ paid: true, status: 'approved' });
    expect(await effectsOn(id)).toEqual(onceEach);
  });

  test.each(['before', 'inside'] as const)('and the database restarts in the meantime (%s the transaction)', async (moment) => {
    const { id, paid } = await heldPayment(moment);
    const { stack } = faultStack;
    const postgres = partOf(stack, 'postgres');
    await postgres.kill('SIGKILL');
    release(stack.dataDir);
    await postgres.whenReady();
    expect((await paid).body.data).toMatchObject({ paid: true, status: 'approved' });
    expect(await effectsOn(id)).toEqual(onceEach);
  });
});

test("a command sent right after a killed worker returns does not wait for the dead one's locks", async () => {
  const payOne = async (beforehand: () => Promise<void>) => {
    const { person, client } = nextPerson();
    const id = await readyToPay(faultStack, client, person);
    await beforehand();
    const startedAt = performance.now();
    await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    return performance.now() - startedAt;
  };
  const { worker } = faultStack.stack.processes;
  const undisturbedMs = await payOne(async () => undefined);
  const afterKillMs = await payOne(async () => {
    await worker.kill('SIGKILL');
    await worker.whenReady();
  });
  // The first commands of a worker run uncompiled code.
  expect(afterKillMs).toBeLessThan(recoveryMs + 10 * undisturbedMs);
});

test('the record is consistent afterwards', async () => {
  expect(await findBrokenInvariants(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
  expect(await findStaleDueDates(faultStack.stack.migrationDatabaseUrl)).toEqual([]);
});
