import { Client, Connection } from '@temporalio/client';
import { applicationProcess } from '../../../src/areas/applications/process.ts';
import { DomainError } from '../../../src/errors.ts';
import { adoptProcesses } from '../../../src/platform/workflows/adopt.ts';
import { fixturesByRequests } from '../../support/factories.ts';
import { poison } from '../../support/factories/poison.ts';
import { temporalAddress } from '../../support/servers.ts';
import { waitFor } from '../../support/wait-for.ts';
import { problemsOf, refusal, wrongFieldsOf } from '../../support/refusals.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The list of processes and the actions on them, with a real Temporal. */

const { api, make, administrator, owner } = await useRegistry();
const connection = await Connection.connect({ address: await temporalAddress() });
const temporal = new Client({ connection, namespace: api.surroundings.config.TEMPORAL_NAMESPACE });

afterAll(async () => {
  await connection.close();
});

interface Row {
  workflow_id: string;
  kind: string;
  id: number;
  state: string;
  waiting_for: string | null;
  since: string | null;
  next_timer_at: string | null;
  url: string | null;
  reason: string | null;
}
interface List {
  data: Row[];
  meta: { total: number; page: number; limit: number; total_is_capped?: true; failed_is_unknown?: true };
}

const list = async (query = ''): Promise<List> => administrator.expect(200, await administrator.get(`/admin/processes${query}`)).body;
const reason = 'the photo was brought back from a copy';

/** Reads the row of a process; undefined when it is not listed. */
async function rowOf(process: string): Promise<Row | undefined> {
  const { data } = await list(`?q=${process}`);
  expect(data.length).toBeLessThan(2);
  return data[0];
}

const untilState = (process: string, state: string) =>
  waitFor(
    () => rowOf(process),
    (row) => row?.state === state,
    `${process} to be ${state}`,
  );

const act = (process: string, action: string, by = administrator) => by.post(`/admin/processes/${process}/actions`, { action, reason });

const auditOf = async (process: string) => {
  const { data } = administrator.expect(200, await administrator.get(`/admin/audit?subject=${process}`)).body;
  return data.filter(({ action }: { action: string }) => action.startsWith('process.'));
};

const runIdOf = async (process: string) => (await temporal.workflow.getHandle(process).describe()).runId;
const statusOf = async (process: string) => (await temporal.workflow.getHandle(process).describe()).status.name;

/** Creates a document whose last day has passed and whose process cannot expire it. */
async function poisonedDocument(): Promise<{ process: string; id: number; cure: () => Promise<void> }> {
  const profileId = await make.profile(owner);
  const id = await make.document(owner, profileId, { status: 'approved', expiresAt: '2034-01-10' });
  const cure = await poison(api, 'documents', `new.id = ${id} and new.status = 'expired'`);
  await api.sql('update documents set expires_at = current_date - 2 where id = $1', [id]);
  const process = `document/${id}` as const;
  await api.platform.processes.wake({ process, requestId: 'poison' });
  return { process, id, cure };
}

test('a wrong request is refused with all its problems', async () => {
  expect(problemsOf(await administrator.get('/admin/processes?state=dead&q=no+id&limit=0&colour=red'))).toHaveLength(4);
  const unknown = await administrator.get('/admin/processes?kind=captcha');
  expect(unknown.body.error.details.fields[0].message).toContain('application');
  const body = await administrator.post('/admin/processes/document/1/actions', { action: 'kill', reason: 'no' });
  expect(wrongFieldsOf(body)).toEqual(['body.action', 'body.reason']);
  for (const process of ['document/2147483647', 'captcha/1', 'nothing/1'])
    expect(await act(process, 'retry')).toMatchObject(refusal(404, 'not_found'));
});

describe('a working process', () => {
  test('waits for the actor that its record names, since its last step, and is found by id and kind', async () => {
    const profileId = await make.profile(owner);
    const id = await make.document(owner, profileId, { expiresAt: '2034-01-10' });
    const [{ at }] = (await api.sql<{ at: Date }>('select updated_at as at from documents where id = $1', [id])) as [{ at: Date }];
    const row = await rowOf(`document/${id}`);
    expect(row).toMatchObject({
      workflow_id: `document/${id}`,
      kind: 'document',
      id,
      state: 'waiting',
      waiting_for: 'administrator',
      next_timer_at: '2034-01-11T00:00:00+05:00',
      reason: null,
    });
    expect(Date.parse(row?.since ?? '')).toBe(Math.floor(at.getTime() / 1000) * 1000);
    expect((await list(`?q=${id}&kind=document&state=waiting`)).data).toEqual([row]);
    expect((await list(`?q=${id}&kind=document&state=stuck`)).data).toEqual([]);
    expect((await list(`?q=profile/${id}&kind=document`)).data).toEqual([]);
    const all = await list('?state=waiting&kind=document&limit=100');
    expect(all.data).toContainEqual(row);
    expect(all.meta.total).toBe(all.data.length);
    expect(all.data.map((each) => each.id)).toEqual(all.data.map((each) => each.id).toSorted((left, right) => left - right));
    const second = await list('?state=waiting&kind=document&limit=1&page=2');
    expect(second.data).toEqual(all.data.slice(1, 2));
    // A record that is over has no process.
    administrator.expect(
      200,
      await administrator.post('/admin/review', { kind: 'document', id, decision: 'cancel', note: 'not a document' }),
    );
    expect(await rowOf(`document/${id}`)).toBeUndefined();
    expect(await act(`document/${id}`, 'retry')).toMatchObject(refusal(409, 'invalid_state', { status: 'over', allowed: [] }));
  });

  test('cannot be restarted, nor ask the bank without an invoice (ADM-4)', async () => {
    const id = await fixturesByRequests(api).document(owner, await make.profile(owner));
    const process = `document/${id}`;
    await waitFor(
      () => api.platform.processes.describe(`document/${id}`),
      (found) => found?.status === 'running',
      'the process',
    );
    for (const action of ['restart', 'ask_bank'])
      expect(await act(process, action)).toMatchObject(refusal(409, 'invalid_state', { status: 'waiting', allowed: ['retry'] }));
    expect(await auditOf(process)).toEqual([]);
    const retried = administrator.expect(200, await act(process, 'retry'));
    expect(retried.body.data).toMatchObject({ state: 'waiting', waiting_for: 'administrator' });
    const [event] = await auditOf(process);
    expect(event).toMatchObject({ action: 'process.retry', actor_id: administrator.userId, request_id: retried.body.request_id, data: {} });
    const kept = administrator.expect(200, await administrator.get(`/admin/processes/actions?process=${process}`)).body;
    expect(kept).toMatchObject({
      data: [{ workflow_id: process, action: 'retry', reason, actor_id: administrator.userId, request_id: retried.body.request_id }],
      meta: { total: 1 },
    });
    // A repeated retry looks again.
    administrator.expect(200, await act(process, 'retry'));
  });
});

// ADM-3
describe('a record that fails its process', () => {
  test('is stuck with its reason, first in the list; after repair and retry it continues', async () => {
    const { process, id, cure } = await poisonedDocument();
    const row = await waitFor(
      () => rowOf(process),
      (seen) => seen?.waiting_for === 'support',
      'the process to wait for support',
    );
    expect(row).toMatchObject({ state: 'stuck', reason: 'internal_error' });
    expect((await list()).data[0]?.workflow_id).toBe(process);
    expect((await list('?state=stuck')).data.map(({ workflow_id }) => workflow_id)).toEqual([process]);
    expect((await list('?state=waiting&kind=document&limit=100')).data.map(({ workflow_id }) => workflow_id)).not.toContain(process);

    // It still fails; the requested action is recorded.
    expect(await act(process, 'retry')).toMatchObject(refusal(503, 'service_unavailable'));
    expect((await auditOf(process)).map(({ action }: { action: string }) => action)).toEqual(['process.retry']);

    await cure();
    expect(administrator.expect(200, await act(process, 'retry')).body.data).toMatchObject({ state: 'over', waiting_for: null });
    expect(owner.expect(200, await owner.get(`/documents/${id}`)).body.data.status).toBe('expired');
    expect((await list('?state=stuck')).data).toEqual([]);
    expect(await api.sql('select * from process_troubles where process = $1', [process])).toEqual([]);
  });

  test('two concurrent restarts leave one process, which does the due work', async () => {
    const { process, id, cure } = await poisonedDocument();
    // Waiting for support means long pauses between its own retries; otherwise a retry could finish it before the restart.
    await waitFor(
      () => rowOf(process),
      (seen) => seen?.waiting_for === 'support',
      'the process to wait for support',
    );
    const before = await runIdOf(process);
    await cure();
    const answers = await Promise.all([act(process, 'restart'), act(process, 'restart')]);
    expect(answers.map(({ status }) => status).every((status) => status === 200 || status === 409)).toBe(true);
    expect(answers.map(({ status }) => status)).toContain(200);
    await waitFor(
      async () => (await owner.get(`/documents/${id}`)).body.data.status,
      (status) => status === 'expired',
      'the document to expire',
    );
    await waitFor(
      () => statusOf(process),
      (status) => status === 'COMPLETED',
      'the process to end',
    );
    expect(await runIdOf(process)).not.toBe(before);
    expect(await rowOf(process)).toBeUndefined();
    await api.platform.processes.sweep('request-of-sweep');
    expect(await api.sql('select * from process_troubles where process = $1', [process])).toEqual([]);
  });
});

test('a terminated process is failed; a restart brings it back (ADM-3, ADM-4)', async () => {
  const id = await make.document(owner, await make.profile(owner));
  const process = `document/${id}` as const;
  await api.platform.processes.wake({ process, requestId: 'request-of-test' });
  await temporal.workflow.getHandle(process).terminate('by mistake');
  const row = await untilState(process, 'failed');
  expect(row).toMatchObject({ reason: 'terminated', waiting_for: 'administrator' });
  expect(Math.abs(Date.parse(row?.since ?? '') - Date.now())).toBeLessThan(180_000);
  expect((await list('?state=failed')).data).toEqual([row]);
  expect((await list('?state=waiting&kind=document&limit=100')).data.map((each) => each.id)).not.toContain(id);

  expect(administrator.expect(200, await act(process, 'restart')).body.data).toMatchObject({ state: 'waiting' });
  expect(await statusOf(process)).toBe('RUNNING');
  await untilState(process, 'waiting');
  expect((await list('?state=failed')).data).toEqual([]);
  expect(await auditOf(process)).toMatchObject([{ action: 'process.restart' }]);
  expect(await act(process, 'restart')).toMatchObject(refusal(409, 'invalid_state'));
});

test('a process that stays due becomes stuck, also when it is adopted again meanwhile (ADM-3)', async () => {
  const { id } = await make.application(await api.user());
  const process = `application/${id}`;
  const [{ year }] = (await api.sql<{ year: number }>('select year from applications where id = $1', [id])) as [{ year: number }];
  await api.stopWorkers();
  try {
    const dueFor = (minutes: number) =>
      api.sql(`update applications set year = $2, due_at = date_trunc('second', now()) - make_interval(mins => $3) where id = $1`, [
        id,
        year - 1,
        minutes,
      ]);
    await dueFor(3);
    expect(await rowOf(process)).toMatchObject({ state: 'running', reason: null });
    expect((await list('?state=running')).data.map(({ workflow_id }) => workflow_id)).toContain(process);
    await dueFor(6);
    for (let look = 0; look < 2; look += 1) {
      await adoptProcesses(api.platform, applicationProcess, [id]);
      const row = await rowOf(process);
      expect(row).toMatchObject({ state: 'stuck', reason: 'overdue' });
      expect(Math.abs(Date.parse(row?.since ?? '') - (Date.now() - 6 * 60_000))).toBeLessThan(180_000);
    }
    await api.sql('update applications set year = $2 where id = $1', [id, year]);
    // Nothing is due any more: the record has its next date.
    await adoptProcesses(api.platform, applicationProcess, [id]);
    expect((await rowOf(process))?.state).toBe('waiting');
  } finally {
    await api.startWorkers();
  }
});

describe('asking the bank', () => {
  test('applies its answer to an invoice as for the owner, and is refused after the invoice is final (ADM-4)', async () => {
    const person = await api.user();
    const invoice = person.expect(201, await person.post('/invoices', { amount: '1500.00' }, { 'idempotency-key': 'ask' })).body.data;
    person.expect(200, await person.post(`/invoices/${invoice.id}/checkout`));
    const process = `invoice/${invoice.id}`;
    expect(administrator.expect(200, await act(process, 'ask_bank')).body.data).toMatchObject({ state: 'waiting', waiting_for: 'bank' });
    await fetch(`${api.surroundings.bank.url}/control/${invoice.number}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ outcome: 'paid' }),
    });
    expect(administrator.expect(200, await act(process, 'ask_bank')).body.data).toMatchObject({ state: 'over', waiting_for: null });
    expect(person.expect(200, await person.get('/wallet')).body.data.balance_minor).toBe(150_000);
    expect(await act(process, 'ask_bank')).toMatchObject(refusal(409, 'invalid_state'));
    expect((await auditOf(process)).map(({ action }: { action: string }) => action)).toEqual(['process.ask_bank', 'process.ask_bank']);
  });
});

test('while Temporal is unavailable the list has everything except failed workflows', async () => {
  const id = await make.document(owner, await make.profile(owner));
  const { processes } = api.platform;
  const { listFailed } = processes;
  const unavailable = new DomainError('workflow_unavailable');
  processes.listFailed = () => Promise.reject(unavailable);
  try {
    expect(await administrator.get('/admin/processes?state=failed')).toMatchObject(refusal(503, 'workflow_unavailable'));
    for (const query of ['?state=waiting&kind=document&limit=100', `?q=document/${id}`]) {
      const { data, meta } = await list(query);
      expect(data).toContainEqual(
        expect.objectContaining({ workflow_id: `document/${id}`, state: 'waiting', waiting_for: 'administrator' }),
      );
      expect(meta.failed_is_unknown).toBe(true);
    }
    const overview = administrator.expect(200, await administrator.get('/admin/overview')).body.data;
    expect(overview.processes.failed).toBeNull();
    expect(overview.processes.waiting).toBeGreaterThan(0);
  } finally {
    processes.listFailed = listFailed;
  }
});

test('a process is not restarted while Temporal does not answer', async () => {
  const id = await make.document(owner, await make.profile(owner));
  const process = `document/${id}` as const;
  await api.platform.processes.wake({ process, requestId: 'request-of-test' });
  const before = await runIdOf(process);
  const { processes } = api.platform;
  const { find } = processes;
  const unavailable = new DomainError('workflow_unavailable');
  processes.find = () => Promise.reject(unavailable);
  try {
    expect(await act(process, 'restart')).toMatchObject(refusal(503, 'workflow_unavailable'));
  } finally {
    processes.find = find;
  }
  expect(await runIdOf(process)).toBe(before);
  expect(await auditOf(process)).toEqual([]);
});
