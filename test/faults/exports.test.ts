import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { TestClient } from '../support/client.ts';
import { readZip } from '../support/papers/read-zip.ts';
import { waitFor } from '../support/wait-for.ts';
import { CarefulClient, Watch } from './careful-client.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { arm, type Moment, whenReached } from './moments.ts';
import { readyToPay } from './ready-to-pay.ts';

/**
 * An export whose worker is killed outright in the middle ends whole: one file, each record marked once, nothing left behind, nothing made
 * twice.
 */
let faultStack: FaultStack;
let administrator: TestClient;
let ids: number[];

beforeAll(async () => {
  faultStack = await startFaultStack({ worker: 'test/faults/mortal-worker.ts' });
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

/** And how often the records are made for it: both are one part. */
const places: [string, string, Moment, number][] = [
  ['before it stores anything', 'buildNationalExport', 'before', 1],
  ['when the place of a part is reserved', 'buildNationalExport', 'after', 2],
  ['before the part lies in the storage', 'buildNationalExport.part', 'before', 2],
  ['when the part lies there and nobody was told', 'buildNationalExport.part', 'after', 2],
  ['before the whole lies in the storage', 'buildNationalExport.put', 'before', 1],
  ['when the whole lies there and nobody was told', 'buildNationalExport.put', 'after', 1],
];

test.each(places)('the worker dies %s', async (_where, activity, moment, made) => {
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
         (select count(*)::int from audit_events where action = 'national.exported' and subject_id = e.id::text) as audits,
         (select count(*)::int from files where purpose = 'national_print_part' and name like 'national-print-' || e.id || '-%') as made,
         (select count(*)::int from national_export_parts where export_id = e.id) as parts
       from national_exports e where e.id = $1`,
    [data.id],
  );
  expect(effects).toEqual({ files: 1, marks: ids.length, audits: 1, made, parts: 0 });
});

test('what the dead have stored is known, and the sweep clears it', async () => {
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
