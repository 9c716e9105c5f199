import type { TestClient } from '../support/client.ts';
import { fixturesOf } from '../support/factories.ts';
import { certificateFixtures } from '../support/factories/certificates.ts';
import { eventFixtures } from '../support/factories/events.ts';
import { useRegistry } from '../support/use-registry.ts';

const { api } = await useRegistry();
let owner: TestClient;
let administrator: TestClient;

/** Far from the end of a year, when certificates expire. */
const year = new Date().getFullYear() + 1;

beforeAll(async () => {
  await api.travelTo(`${year}-06-01T12:00:00+05:00`);
  [owner, administrator] = [await api.user(), await api.administrator()];
});

/** No route shows the `updated_at` of these. */
const unshown = new Set(['cursors', 'invoices', 'registration_settings', 'webhooks']);

test('every shown `updated_at` keeps growing', async () => {
  const kept = await api.sql<{ name: string }>(
    "select tgrelid::regclass::text as name from pg_trigger where tgfoid = 'keep_updated_at_growing'::regproc order by 1",
  );
  const having = await api.sql<{ name: string }>(
    "select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'updated_at' order by 1",
  );
  expect(kept.map(({ name }) => name).toSorted()).toEqual(
    having
      .map(({ name }) => name)
      .filter((name) => !unshown.has(name))
      .toSorted(),
  );
});

interface Changed {
  table: string;
  /** Finds the row. */
  where: string;
  path: string;
  change(round: number): Record<string, unknown>;
  by?: TestClient;
}

const records: Record<string, () => Promise<Changed>> = {
  async application() {
    const { id } = await fixturesOf(api).application(owner);
    const change = (round: number) => ({ data: { team: `Team ${round}` } });
    return { table: 'applications', where: `id = ${id}`, path: `/applications/${id}`, change };
  },
  async event() {
    const { id } = await eventFixtures(api.platform).event(owner);
    return { table: 'events', where: `id = ${id}`, path: `/events/${id}`, change: (round) => ({ title: `Кубок ${round}` }) };
  },
  async template() {
    const body = { title: 'Agreement', body: '{{DOCUMENT_NUMBER}}' };
    const { id } = administrator.expect(201, await administrator.post('/admin/contract-templates', body)).body.data;
    const change = (round: number) => ({ title: `Agreement ${round}` });
    return { table: 'contract_templates', where: `id = ${id}`, path: `/admin/contract-templates/${id}`, change, by: administrator };
  },
  async participant() {
    const days = { startsAt: new Date(`${year}-06-05T10:00:00+05:00`), endsAt: new Date(`${year}-06-06T18:00:00+05:00`) };
    const { id } = await eventFixtures(api.platform).event(owner, { ...days, agreementFlow: 1 });
    const { number, applicationId } = await certificateFixtures(api.platform)();
    owner.expect(201, await owner.post(`/events/${id}/participants`, { certificate: number }));
    const path = `/events/${id}/participants/${applicationId}`;
    return { table: 'participants', where: `application_id = ${applicationId}`, path, change: (round) => ({ result: `1:0${round}` }) };
  },
};

test.each(Object.entries(records))('each change of the %s makes and answers a new version, also with a slow clock', async (_kind, make) => {
  const { table, where, path, change, by = owner } = await make();
  // Simulates a change by another process whose clock is ahead.
  await api.sql(`update ${table} set updated_at = now() + interval '3 years' where ${where}`);
  const versionOf = async () =>
    (await api.sql<{ at: Date }>(`select updated_at as at from ${table} where ${where}`))[0]?.at.getTime() ?? Number.NaN;
  for (const round of [1, 2]) {
    const before = await versionOf();
    const answered = Date.parse(by.expect(200, await by.patch(path, change(round))).body.data.updated_at);
    expect(answered).toBeGreaterThan(before);
    // Its process may have changed it in the meantime.
    expect(answered).toBeLessThanOrEqual(await versionOf());
  }
});
