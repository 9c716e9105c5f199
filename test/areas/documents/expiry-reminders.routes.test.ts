import { Client, Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { requiredTsToMs, tsToMs } from '@temporalio/common/lib/time.js';
import type { TestClient } from '../../support/client.ts';
import { fixturesByRequests } from '../../support/factories.ts';
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

test('no invariant of the database is broken after the year', async () => {
  expect(await findBrokenInvariants(api.surroundings.database.ownerUrl)).toEqual([]);
});
