import { setTimeout } from 'node:timers/promises';
import { databaseOf } from '../../src/platform/database/database.ts';
import { dayMs, endOfYear, yearOf } from '../../src/platform/time/date-time.ts';
import { withPlatform } from '../bench/stack.ts';
import { TestClient } from '../support/client.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { insertAthletes } from '../support/factories/registrations.ts';
import { findBrokenInvariants } from '../support/invariants.ts';
import { waitFor } from '../support/wait-for.ts';
import { type FaultStack, startFaultStack } from './fault-stack.ts';
import { partOf } from './killer.ts';

/** An import of many rows, while the worker is killed: each row is taken once, in the order of the file (IMP-5). */
const [rowCount, capacity] = [900, 500];

let faultStack: FaultStack;
beforeAll(async () => {
  faultStack = await startFaultStack();
});
afterAll(() => faultStack.stop());

test('900 rows for 500 places, while the worker dies three times: each row once, the places to the first rows', async () => {
  const { stack, baseUrl, people, sql } = faultStack;
  const [organizer, person] = await people(2);
  if (organizer === undefined || person === undefined) throw new Error('no people were made');
  const client = new TestClient(baseUrl, person.key);
  const clock = async () => Date.parse((await client.get('/sandbox/clock')).body.data.now);
  // Certificates end with the year.
  const first = await clock();
  if (yearOf(new Date(first)) !== yearOf(new Date(first + 30 * dayMs))) {
    const now = new Date(endOfYear(yearOf(new Date(first))).getTime() + dayMs).toISOString();
    client.expect(200, await client.put('/sandbox/clock', { now }));
  }
  const at = new Date(await clock());
  const { eventId, numbers } = await withPlatform(stack, async (platform) => {
    const db = databaseOf(platform.orm.em.fork());
    const limit = { name: 'N2', capacity, waitingList: true, offerHours: 48 };
    const settings = { classes: ['N2'], classLimits: [limit], opensAt: new Date(at.getTime() - dayMs) };
    const event = await eventFixtures(platform).event(organizer, { startsAt: new Date(at.getTime() + 25 * dayMs), settings });
    const athletes = await insertAthletes(
      db,
      Array.from({ length: rowCount }, () => person.userId),
      at,
    );
    const ids = athletes.map(({ applicationId }) => applicationId);
    const rows = await db.selectFrom('certificates').select('number').where('applicationId', 'in', ids).orderBy('applicationId').execute();
    return { eventId: event.id, numbers: rows.map(({ number }) => number) };
  });
  const [{ name } = { name: '' }] = await sql<{ name: string }>('select name from profiles where owner_id = $1 limit 1', [person.userId]);

  const form = new FormData();
  form.set('mode', 'submit');
  form.set('file', new Blob([['ФИО;Лицензия', ...numbers.map((number) => `${name};${number}`)].join('\n')]), 'list.csv');
  const path = `/events/${eventId}/registrations/import`;
  const { id } = client.expect(202, await client.request('POST', path, { raw: form })).body.data;
  for (let more = 0; more < 3; more += 1) {
    const worker = partOf(stack, 'worker');
    await setTimeout(700);
    await worker.kill('SIGKILL');
    await worker.whenReady();
  }
  const read = async () => client.expect(200, await client.get(`/registration-imports/${id}`)).body.data;
  const { summary, rows } = await waitFor(read, ({ status }) => status !== 'running', 'the import to end');
  expect(summary).toMatchObject({ total: rowCount, taken: rowCount, created: rowCount, refused: 0 });
  expect(new Set(rows.map((row: { registration_id: number }) => row.registration_id)).size).toBe(rowCount);
  const registered = await sql<{ id: number; status: string }>('select id, status from registrations where event_id = $1 order by id', [
    eventId,
  ]);
  expect(registered.map((row) => row.status)).toEqual(
    Array.from({ length: rowCount }, (_, index) => (index < capacity ? 'submitted' : 'waiting')),
  );
  expect(registered.map((row) => row.id)).toEqual(rows.map((row: { registration_id: number }) => row.registration_id));
  const audited = await sql<{ n: number }>(
    `select count(*)::int as n from audit_events where subject_kind = 'registration' and action in ('registration.submitted', 'registration.queued')
      and subject_id in (select id::text from registrations where event_id = $1)`,
    [eventId],
  );
  expect(audited).toEqual([{ n: rowCount }]);
  // The licences stand without payments, as rows.
  const broken = await findBrokenInvariants(stack.migrationDatabaseUrl);
  expect(broken.filter((one) => /registration|place|import/.test(one))).toEqual([]);
});
