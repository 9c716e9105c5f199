import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { requiredTsToMs, tsToMs } from '@temporalio/common/lib/time.js';
import type { TestClient } from '../../support/client.ts';
import { approve, fixturesByRequests } from '../../support/factories.ts';
import { findBrokenInvariants } from '../../support/invariants.ts';
import { useRegistry } from '../../support/use-registry.ts';

/**
 * Reminders as an owner receives them (DOC-5), by the sandbox clock. The clock only moves forwards, so each test continues where
 * the one before ended. The year is next year.
 */

const { api, make, administrator } = await useRegistry();
const year = Number((await api.browser().get('/sandbox/clock')).body.data.now.slice(0, 4)) + 1;
beforeAll(async () => {
  await api.travelTo(`${year}-01-10T09:00:00+05:00`);
});

/** The reminders that an account has received: record id and days left. */
async function notificationsTo(client: TestClient, type: 'document.expiring' | 'application.expiring'): Promise<[string, number][]> {
  const rows = await api.sql<{ subject_id: string; days: number }>(
    `select subject_id, (facts->>'days')::int as days from notifications where user_id = $1 and type = $2 order by id`,
    [client.userId, type],
  );
  return rows.map(({ subject_id: id, days }) => [id, days]);
}

/** Reads a record as its owner. */
const show = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body.data;
const processOf = async (path: string) => (await show(administrator, path)).process;

/** The last timer that the process of a record has set. */
async function lastTimer(process: string): Promise<{ summary: unknown; endsAt: number }> {
  const { TEMPORAL_ADDRESS: address = '', TEMPORAL_NAMESPACE: namespace } = api.surroundings.config;
  const connection = await Connection.connect({ address });
  try {
    const { events } = await new Client({ connection, namespace }).workflow.getHandle(process).fetchHistory();
    const timer = events?.findLast(({ timerStartedEventAttributes: started }) => started);
    const summary = timer?.userMetadata?.summary;
    return {
      summary: summary ? defaultPayloadConverter.fromPayload(summary) : null,
      endsAt: requiredTsToMs(timer?.eventTime, 'eventTime') + tsToMs(timer?.timerStartedEventAttributes?.startToFireTimeout),
    };
  } finally {
    await connection.close();
  }
}

// DOC-5
describe('an approved document', () => {
  let owner: TestClient;
  let id: number;
  beforeAll(async () => {
    owner = await api.user();
    id = await fixturesByRequests(api).document(owner, await make.profile(owner), { status: 'approved', expiresAt: `${year}-06-30` });
  });

  test('its process waits for the first reminder and says so', async () => {
    expect(await processOf(`/documents/${id}`)).toMatchObject({ waiting_for: 'date', next_timer_at: `${year}-05-01T00:00:00+05:00` });
  });

  test('a durable Temporal timer runs until then, within six hours of the day', async () => {
    const { summary, endsAt } = await lastTimer(`document/${id}`);
    expect(summary).toBe(`reminder: document ${id} expires in 60 days`);
    const { offset_seconds: offset } = (await owner.get('/sandbox/clock')).body.data;
    const late = endsAt + offset * 1000 - Date.parse(`${year}-05-01T00:00:00+05:00`);
    expect(late).toBeGreaterThanOrEqual(-5_000);
    expect(late).toBeLessThan(6 * 3_600_000 + 60_000);
  });

  test.each([
    ['60 days ahead', '05-01', [60]],
    ['between', '05-20', [60]],
    ['30 days ahead', '05-31', [60, 30]],
    ['7 days ahead', '06-23', [60, 30, 7]],
    ['on its last day', '06-30', [60, 30, 7]],
  ])('%s the owner is reminded, once', async (_when, day, days) => {
    await api.travelTo(`${year}-${day}T00:00:00+05:00`);
    await api.travelTo(`${year}-${day}T12:00:00+05:00`);
    expect(await notificationsTo(owner, 'document.expiring')).toEqual(days.map((left) => [String(id), left]));
  });

  test('then it expires, and its timeline shows every step (DOC-1)', async () => {
    await api.travelTo(`${year}-07-01T00:00:00+05:00`);
    const steps = (await show(owner, `/documents/${id}/timeline`)).map(({ step, actor }: { step: string; actor: string }) => [step, actor]);
    const reminded = ['reminded', 'system'];
    expect(steps).toEqual([['created', 'owner'], ['approved', 'administrator'], reminded, reminded, reminded, ['expired', 'system']]);
    const { now } = (await owner.get('/sandbox/clock')).body.data;
    expect(now.slice(0, 10)).toBe(`${year}-07-01`);
  });
});

test('a corrected last day is reminded of again; a reminder in between does not make the correction stale', async () => {
  const owner = await api.user();
  const id = await make.document(owner, await make.profile(owner), { status: 'approved', expiresAt: `${year}-08-31` });
  const read = await show(administrator, `/admin/records/document/${id}`);
  await api.travelTo(`${year}-07-05T12:00:00+05:00`);
  expect(await notificationsTo(owner, 'document.expiring')).toEqual([[String(id), 57]]);
  const correction = { expires_at: `${year}-09-30`, updated_at: read.updated_at };
  administrator.expect(200, await administrator.patch(`/admin/records/document/${id}`, correction));
  expect((await processOf(`/documents/${id}`)).next_timer_at).toBe(`${year}-08-01T00:00:00+05:00`);
  await api.travelTo(`${year}-08-01T12:00:00+05:00`);
  expect(await notificationsTo(owner, 'document.expiring')).toEqual([
    [String(id), 57],
    [String(id), 60],
  ]);
});

test('a document approved 20 days ahead is reminded of once, one without a last day never', async () => {
  const owner = await api.user();
  const profileId = await make.profile(owner);
  const late = await make.document(owner, profileId, { expiresAt: `${year}-08-25` });
  const lasting = await make.document(owner, profileId);
  await api.travelTo(`${year}-08-05T12:00:00+05:00`);
  await approve(administrator, 'document', late);
  await approve(administrator, 'document', lasting);
  for (const day of ['08-05', '08-18', '08-25']) await api.travelTo(`${year}-${day}T23:00:00+05:00`);
  expect(await notificationsTo(owner, 'document.expiring')).toEqual([[String(late), 7]]);
});

describe('certificates of a year', () => {
  let owners: TestClient[];
  let ids: number[];
  beforeAll(async () => {
    owners = await Promise.all([1, 2, 3].map(() => api.user()));
    ids = await Promise.all(owners.map(async (owner) => (await make.application(owner, { status: 'approved' })).id));
  });
  const notificationsOf = async () =>
    Promise.all(owners.map(async (owner) => (await notificationsTo(owner, 'application.expiring')).map(([, days]) => days)));

  test('owners are reminded 60, 30 and 7 days ahead of 31 December; an annulled certificate has no reminders', async () => {
    await api.travelTo(`${year}-10-31T12:00:00+05:00`);
    expect(await notificationsOf()).toEqual([[], [], []]);
    expect((await processOf(`/applications/${ids[0]}`)).next_timer_at).toBe(`${year}-11-01T00:00:00+05:00`);
    await api.travelTo(`${year}-11-01T00:00:00+05:00`);
    expect(await notificationsOf()).toEqual([[60], [60], [60]]);

    const { revision } = await show(owners[2] as TestClient, `/applications/${ids[2]}`);
    const annulment = { kind: 'application', id: ids[2], decision: 'cancel', revision, note: 'It was issued by mistake.' };
    administrator.expect(200, await administrator.post('/admin/review', annulment));
    await api.travelTo(`${year}-12-01T12:00:00+05:00`);
    expect(await notificationsOf()).toEqual([[60, 30], [60, 30], [60]]);
    const steps = (await show(owners[0] as TestClient, `/applications/${ids[0]}/timeline`)).filter(
      ({ step }: { step: string }) => step === 'reminded',
    );
    expect(steps).toHaveLength(2);
    expect(steps[0]).toMatchObject({ actor: 'system', text: expect.stringContaining(`${year}-12-31`) });

    await api.travelTo(`${year}-12-27T12:00:00+05:00`);
    expect(await notificationsOf()).toEqual([[60, 30, 4], [60, 30, 4], [60]]);
  });

  test('in the new year they close and reminders end', async () => {
    await api.travelTo(`${year + 1}-01-01T00:00:00+05:00`);
    expect((await show(owners[0] as TestClient, `/applications/${ids[0]}`)).status).toBe('closed');
    expect(await notificationsOf()).toEqual([[60, 30, 4], [60, 30, 4], [60]]);
  });
});

test('no invariant of the database is broken after the year', async () => {
  expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]);
});
