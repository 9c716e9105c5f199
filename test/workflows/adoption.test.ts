import { Client, Connection, WorkflowNotFoundError } from '@temporalio/client';
import { query } from '../../src/platform/commands/command.ts';
import { processRef, type ProcessRef } from '../../src/platform/workflows/process-ref.ts';
import { adoptProcesses } from '../../src/platform/workflows/adopt.ts';
import type { RecordProcess } from '../../src/platform/workflows/define-process.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import type { Processes } from '../../src/platform/workflows/processes.ts';
import { rebuildProcesses } from '../../src/platform/workflows/rebuild.ts';
import type { TestClient } from '../support/client.ts';
import { fixturesIn } from '../support/factories.ts';
import type { Member } from '../support/factories/record.ts';
import { compareProcesses } from '../support/live-processes.ts';
import { temporalAddress } from '../support/servers.ts';
import { startTestApi, type TestApi } from '../support/test-api.ts';
import { waitFor } from '../support/wait-for.ts';

/**
 * Processes store no facts, so the database can replace a lost Temporal: the rebuild in one run, the rolling audit slice by slice. Here
 * every live record is made without a process or loses it, with the real Temporal and the real worker.
 */

/** More than a slice of the rebuild, so that it stores a cursor. */
const documents = 430;

let api: TestApi;
let connection: Connection;
let temporal: Client;
let owner: TestClient;
let administrator: TestClient;
/** Applications of the owner. */
let draftId: number;
let submittedId: number;
let records: RecordProcess[];

beforeAll(async () => {
  api = await startTestApi();
  [owner, administrator] = [await api.user(), await api.administrator()];
  connection = await Connection.connect({ address: await temporalAddress() });
  temporal = new Client({ connection, namespace: api.surroundings.config.TEMPORAL_NAMESPACE });
  records = api.platform.definitions.filter((definition) => definition.type === 'record');
  // As if Temporal had never heard of them.
  const fixtures = fixturesIn({ ...api.platform, outbox: relayOnlyOutbox });
  const actor = { kind: 'user', userId: owner.userId, isAdministrator: false, impersonatedUserId: null } as const;
  const member: Member = { userId: owner.userId, caller: { actor, requestId: 'adoption', ip: null } };
  draftId = (await fixtures.application(member)).id;
  submittedId = (await fixtures.application(member, { status: 'submitted' })).id;
  await fixtures.application(member, { status: 'approved' });
  const profileId = await fixtures.profile(member, { status: 'pending' });
  await api.sql(
    `insert into documents (profile_id, type, file_id, status, created_at, updated_at)
       select $1, 'medical', (select photo_id from profiles where id = $1), 'pending', now(), now() from generate_series(1, $2::int)`,
    [profileId, documents],
  );
  await api.sql(
    `insert into invoices (owner_id, number, amount_minor, status, idempotency_key, expires_at, next_ask_at, created_at, updated_at)
       select $1, (3000000000 + n)::text, 1000000, 'pending', n, now() + interval '1 day', now() + interval '1 hour', now(), now()
       from generate_series(1, 3) n`,
    [owner.userId],
  );
  // The messages that would start them are lost too, including delivered ones.
  await api.sql('delete from outbox');
  await loseTemporal();
});
afterAll(async () => {
  await connection.close();
  await api.close();
});

/** The processes of all live records. */
async function living(): Promise<ProcessRef[]> {
  const found = await Promise.all(
    records.map((process) =>
      query(api.platform, async (db) => (await process.listLiving(db, 0, 10_000)).map((id) => processRef(process.kind, id))),
    ),
  );
  return found.flat();
}

async function loseTemporal(): Promise<void> {
  await Promise.all(
    (await living()).map((ref) =>
      temporal.workflow
        .getHandle(ref)
        .terminate('lost')
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        }),
    ),
  );
}

interface Totals {
  isDone: boolean;
  started: number;
  present: number;
}

/** @param stopAfter stops the rebuild after this number of started processes */
async function rebuild({ isReplacing = false, stopAfter = Infinity } = {}): Promise<Totals> {
  const totals = new Map<string, { started: number; present: number }>();
  let asked = 0;
  const isDone = await rebuildProcesses(api.platform, records, {
    isReplacing,
    isStopped: () => (asked += 1) > stopAfter,
    report: ({ kind, started, present }) => totals.set(kind, { started, present }),
  });
  const sum = (part: 'started' | 'present') => [...totals.values()].reduce((total, kind) => total + kind[part], 0);
  return { isDone, started: sum('started'), present: sum('present') };
}

const differences = async () =>
  compareProcesses(api.surroundings.database.ownerUrl, await temporalAddress(), api.surroundings.config.TEMPORAL_NAMESPACE);
const runIds = async (refs: readonly ProcessRef[]) =>
  new Map(await Promise.all(refs.map(async (ref) => [ref, (await temporal.workflow.getHandle(ref).describe()).runId] as const)));
const cursors = () => api.sql<{ name: string; after_id: number }>('select name, after_id from cursors order by name');

async function shown(ref: ProcessRef) {
  const found = await temporal.workflow.getHandle(ref).describe();
  const keyword = (name: string) => found.typedSearchAttributes.getAll().find(({ key }) => key.name === name)?.value;
  return {
    status: found.status.name,
    stage: keyword('Stage'),
    waitingFor: keyword('WaitingFor'),
    requestId: keyword('RequestId'),
    events: found.historyLength,
  };
}

test('after a loss of Temporal a rebuild starts the process of every live record; after a stop the next run starts the rest', async () => {
  const all = await living();
  const first = await rebuild({ stopAfter: 50 });
  expect(first).toMatchObject({ isDone: false, present: 0 });
  expect(first.started).toBeGreaterThan(10);
  expect(first.started).toBeLessThan(60);
  const second = await rebuild();
  expect(second.isDone).toBe(true);
  expect(first.started + second.started).toBe(all.length);
  expect(await differences()).toEqual([]);
  const ids = await runIds(all);
  expect(await rebuild()).toEqual({ isDone: true, started: 0, present: all.length });
  expect(await runIds(all)).toEqual(ids);
  expect(await cursors()).toEqual([]);
});

describe('a record that only waits', () => {
  test('shows its state and takes no turn', async () => {
    // A status list makes its first edition at once.
    const all = (await living()).filter((process) => !process.startsWith('status-list/'));
    const states = await Promise.all(all.map(shown));
    expect(all.filter((_, index) => states[index]?.events !== 1)).toEqual([]);
    expect(all.filter((_, index) => states[index]?.stage === undefined || states[index]?.waitingFor === undefined)).toEqual([]);
    expect(await shown(`application/${draftId}`)).toMatchObject({ status: 'RUNNING', stage: 'draft', waitingFor: 'owner' });
    expect(await shown(`application/${submittedId}`)).toMatchObject({ stage: 'submitted', waitingFor: 'bank' });
  });

  test('accepts a command immediately', async () => {
    const began = Date.now();
    const submitted = owner.expect(200, await owner.post(`/applications/${draftId}/submit`)).body.data;
    const [document] = await api.sql<{ id: number }>('select min(id) as id from documents where status = $1', ['pending']);
    const decision = { kind: 'document', id: document?.id, decision: 'cancel', note: 'the scan cannot be read' };
    administrator.expect(200, await administrator.post('/admin/review', decision));
    // By itself the record would look after a minute.
    expect(Date.now() - began).toBeLessThan(50_000);
    expect(submitted.status).toBe('submitted');
    expect(await shown(`application/${draftId}`)).toMatchObject({ status: 'RUNNING', stage: 'submitted' });
    expect(
      await waitFor(
        () => shown(`document/${Number(document?.id)}`),
        ({ status }) => status === 'COMPLETED',
        'the process to end',
      ),
    ).toMatchObject({ stage: 'cancelled' });
  });

  test('looks again immediately after a wake-up', async () => {
    const [invoice] = await api.sql<{ id: number }>('select min(id) as id from invoices');
    const woken: ProcessRef[] = [`application/${submittedId}`, `invoice/${Number(invoice?.id)}`];
    for (const ref of woken) await api.platform.processes.wake({ process: ref, requestId: 'request-of-wake' });
    for (const ref of woken) {
      const seen = await waitFor(
        () => shown(ref),
        ({ requestId }) => requestId === 'request-of-wake',
        `${ref} to look again`,
      );
      expect(seen.status).toBe('RUNNING');
      expect(seen.events).toBeGreaterThan(4);
    }
  });
});

test('a due step runs immediately without a request', async () => {
  const [document] = await api.sql<{ id: number }>(
    `insert into documents (profile_id, type, file_id, status, expires_at, decided_at, created_at, updated_at)
       select profile_id, type, file_id, 'approved', current_date - 5, now() - interval '9 days', now(), now() from documents
       where status = 'pending' limit 1 returning id`,
  );
  expect(await rebuild()).toMatchObject({ isDone: true, started: 1 });
  const statusOf = () => api.sql<{ status: string }>('select status from documents where id = $1', [document?.id]);
  expect(await waitFor(statusOf, ([row]) => row?.status !== 'approved', 'the document to expire')).toEqual([{ status: 'expired' }]);
});

test('a restart replaces running processes; after a stop it continues after its last whole slice', async () => {
  const all = await living();
  const before = await runIds(all);
  const inFirstSlice = all.filter((ref) => ref.startsWith('document/')).slice(0, 400);
  const stopped = await rebuild({ isReplacing: true, stopAfter: 425 });
  expect(stopped.isDone).toBe(false);
  const last = Number(inFirstSlice.at(-1)?.replace('document/', ''));
  expect(await cursors()).toContainEqual({ name: 'restart/document', after_id: last });
  const meanwhile = await runIds(inFirstSlice);
  expect(await rebuild({ isReplacing: true })).toMatchObject({ isDone: true, present: 0 });
  const after = await runIds(all);
  expect(all.filter((ref) => after.get(ref) === before.get(ref))).toEqual([]);
  expect(inFirstSlice.filter((ref) => after.get(ref) !== meanwhile.get(ref))).toEqual([]);
  expect(await differences()).toEqual([]);
  expect(await cursors()).toEqual([]);
});

test('two parallel rebuilds start each process once', async () => {
  const all = await living();
  await loseTemporal();
  const [one, other] = await Promise.all([rebuild(), rebuild()]);
  expect([one.isDone, other.isDone, one.started + other.started]).toEqual([true, true, all.length]);
  expect(await differences()).toEqual([]);
});

test('a process that completes while the rebuild reads its record is started again and ends immediately', async () => {
  const process = records.find(({ kind }) => kind === 'invoice');
  const [invoice] = await api.sql<{ id: number }>('select max(id) as id from invoices where next_ask_at is not null');
  if (process === undefined || invoice === undefined) throw new Error('no live invoice');
  const { id } = invoice;
  const ref = processRef('invoice', id);
  const processes: Processes = Object.create(api.platform.processes);
  processes.start = async (...args) => {
    await api.sql(`update invoices set status = 'expired', next_ask_at = null where id = $1`, [id]);
    await api.platform.processes.wake({ process: ref, requestId: 'request-of-end' });
    await temporal.workflow.getHandle(ref).result();
    return api.platform.processes.start(...args);
  };
  expect(await adoptProcesses({ ...api.platform, processes }, process, [id])).toMatchObject({ started: 1 });
  expect(
    await waitFor(
      () => shown(ref),
      ({ status }) => status === 'COMPLETED',
      'the process to end',
    ),
  ).toMatchObject({ stage: 'expired', requestId: 'adopted' });
});
