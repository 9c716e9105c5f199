import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestClient } from '../support/client.ts';
import { readZip } from '../support/papers/read-zip.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { arm, type Moment, whenReached } from './moments.ts';
import { readyToPay } from './applicant.ts';

/** An export whose worker is killed in the middle starts again and ends whole: one file, each record marked once, nothing left behind. */
let faultStack: FaultStack;
let administrator: TestClient;
let ids: number[];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/crashing-worker.ts' });
  const { baseUrl, stack } = faultStack;
  administrator = new TestClient(baseUrl);
  await administrator.login(stack.administrator.email, stack.administrator.password);
  ids = [];
  for (const person of await faultStack.people(2)) {
    const client = new CarefulClient(baseUrl, person.key, new Watch());
    const id = await readyToPay(faultStack, client, person);
    await client.send('POST', `/applications/${id}/pay`, { key: 'pay-once' });
    ids.push(id);
  }
  for (const id of ids)
    await faultStack.sql(`insert into national_list_entries values ($1, 'print', $2, now())`, [faultStack.administratorId, id]);
});
afterAll(() => faultStack.stop());

const places: [string, string, Moment][] = [
  ['before it reserves the file', 'buildNationalExport', 'before'],
  ['when the file is reserved', 'buildNationalExport', 'after'],
  ['before the bytes are stored', 'buildNationalExport.put', 'before'],
  ['when the bytes are stored and not yet published', 'buildNationalExport.put', 'after'],
];

test.each(places)('the worker dies %s', async (_where, activity, moment) => {
  const { dataDir } = faultStack.stack;
  arm(dataDir, { activity, moment, act: 'die' });
  const { data } = administrator.expect(201, await administrator.post('/admin/national/lists/print/export', { ids })).body;
  await whenReached(dataDir);
  const show = async () => administrator.expect(200, await administrator.get(`/admin/national/exports/${data.id}`)).body.data;
  await waitFor(show, ({ status }) => status === 'ready', 'the export to be made');
  const zip = administrator.expect(200, await administrator.get(data.file.download_url)).bytes;
  expect(readZip(zip).size).toBe(1 + 2 * ids.length);
  const [effects] = await faultStack.sql(
    `select (select count(*)::int from files where id = e.file_id and deleted_at is null) as files,
         (select count(*)::int from national_export_records where export_id = e.id and exported_at = e.finished_at) as marks,
         (select count(*)::int from audit_events where action = 'national.exported' and subject_id = e.id::text) as audits
       from national_exports e where e.id = $1`,
    [data.id],
  );
  expect(effects).toEqual({ files: 1, marks: ids.length, audits: 1 });
});

test('without workers an export is answered as pending, and its file appears later at the same address', async () => {
  const { worker } = faultStack.stack.processes;
  await worker.stop();
  const { data } = administrator.expect(201, await administrator.post('/admin/national/lists/print/export', { ids })).body;
  expect(data).toMatchObject({ status: 'pending', count: ids.length, finished_at: null, file: { kept_until: null } });
  administrator.expect(404, await administrator.get(data.file.download_url));
  await worker.start();
  const show = async () => administrator.expect(200, await administrator.get(`/admin/national/exports/${data.id}`)).body.data;
  await waitFor(show, ({ status }) => status === 'ready', 'the export to be made');
  administrator.expect(200, await administrator.get(data.file.download_url));
});

test('the files of dead workers are recorded, and the sweep deletes them', async () => {
  const left = () =>
    faultStack.sql<{ storage_key: string }>(`select storage_key from files where deleted_at is not null and purged_at is null`);
  const abandoned = await left();
  expect(abandoned.length).toBeGreaterThan(0);
  const now = Date.parse((await administrator.get('/sandbox/clock')).body.data.now);
  administrator.expect(200, await administrator.put('/sandbox/clock', { now: new Date(now + 2 * 3_600_000).toISOString() }));
  administrator.expect(200, await administrator.post('/sandbox/sweep'));
  expect(await left()).toEqual([]);
  expect(abandoned.filter(({ storage_key: key }) => existsSync(join(faultStack.stack.dataDir, 'files', key)))).toEqual([]);
});
