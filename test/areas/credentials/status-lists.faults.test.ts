import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { makeNextEdition } from '../../../src/areas/credentials/index.ts';
import { presentStatuses } from '../../../src/areas/verification/read-listed-statuses.ts';
import { credentialSteps } from '../../support/credentials/credential-steps.ts';
import { fixturesOf } from '../../support/factories.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api, administrator } = await useRegistry();
const steps = credentialSteps(api, fixturesOf(api));

beforeAll(async () => {
  // In the middle of a year, so that no test depends on the day of the run.
  const { now } = (await api.browser().get('/sandbox/clock')).body.data;
  await api.travelTo(`${Number(now.slice(0, 4)) + 1}-03-01T12:00:00+05:00`);
});

describe('the process of a status list', () => {
  const caller = { actor: { kind: 'process' }, requestId: 'edition', ip: null } as const;

  test('VER-12: 20,000 changes make few editions, at most one in three seconds', async () => {
    await steps.issued();
    const before = await steps.current();
    const began = performance.now();
    // Each commits for itself, as commands do.
    await api.sql(`do $$ begin
      for n in 1..20000 loop
        perform keep_status_list_change(array(select application_id from credentials where list_id = 1 limit 1));
        commit;
      end loop;
    end $$`);
    const after = await steps.current();
    const most = 2 + (performance.now() - began) / 3000;
    expect((after?.edition ?? 0) - (before?.edition ?? 0)).toBeGreaterThan(0);
    expect((after?.edition ?? 0) - (before?.edition ?? 0)).toBeLessThanOrEqual(most);
  });

  test('VER-12: of two workers that make the same edition one wins', async () => {
    await steps.issued();
    await steps.current();
    await api.stopWorkers();
    const { readPage } = presentStatuses;
    try {
      const before = await steps.editionOf();
      const { signal } = new AbortController();
      // All have read the present edition before the first stores the next one.
      const { promise: allRead, resolve } = Promise.withResolvers<void>();
      let reading = 0;
      presentStatuses.readPage = async (...page) => {
        reading += 1;
        if (reading === 4) resolve();
        await allRead;
        return readPage(...page);
      };
      await Promise.all(Array.from({ length: 4 }, () => makeNextEdition(api.platform, caller, 1, signal)));
      expect((await steps.editionOf())?.edition).toBe((before?.edition ?? 0) + 1);
    } finally {
      presentStatuses.readPage = readPage;
      await api.startWorkers();
    }
  });

  test('VER-12: a fact that changes while an edition is made is in the next one', async () => {
    const { id } = await steps.issued();
    await steps.listed(id, 0);
    await steps.current();
    await api.stopWorkers();
    const { readPage } = presentStatuses;
    // The annulment commits after the statuses are read and before the edition is stored.
    const cancelled = new Promise<void>((resolve, reject) => {
      presentStatuses.readPage = async (...page) => {
        const places = await readPage(...page);
        presentStatuses.readPage = readPage;
        await api.sql(`update applications set status = 'cancelled' where id = $1`, [id]).then(() => resolve(), reject);
        return places;
      };
    });
    await makeNextEdition(api.platform, caller, 1, new AbortController().signal);
    await cancelled;
    expect(await steps.statusOf(id)).toBe(0);
    expect((await steps.editionOf())?.waiting).toBe(true);
    await api.startWorkers();
    await steps.listed(id, 1);
  });

  test('VER-12: an edition that cannot be made is seen as stuck; the old one goes on', async () => {
    const { id, revision } = await steps.issued();
    await steps.listed(id, 0);
    await steps.current();
    await api.sql(`update signing_keys set signs_from = signs_from + interval '1 year'`);
    const body = { kind: 'application', id, decision: 'cancel', revision, note: 'Issued by mistake.' };
    administrator.expect(200, await administrator.post('/admin/review', body));
    const row = async () => administrator.expect(200, await administrator.get('/admin/processes?kind=status-list')).body.data[0];
    await waitFor(row, (seen) => seen?.reason !== null, 'the first failure');
    // Six failures in a row would take minutes.
    await api.sql(`update process_troubles set tries = 5 where kind = 'status-list'`);
    expect(await waitFor(row, (seen) => seen?.state === 'stuck', 'the list to be stuck')).toMatchObject({ kind: 'status-list', id: 1 });
    expect(await steps.statusOf(id)).toBe(0);
    await api.sql(`update signing_keys set signs_from = signs_from - interval '1 year'`);
    const action = { action: 'retry', reason: 'The key is in effect again.' };
    administrator.expect(200, await administrator.post('/admin/processes/status-list/1/actions', action));
    await steps.listed(id, 1);
    await waitFor(row, (seen) => seen?.state === 'waiting', 'the list to be current');
  });
});

test('VER-10: `npm run registry -- credentials` certifies what was issued before, once; the PDF stays', async () => {
  const [first, second] = [await steps.issued(), await steps.issued()];
  const pdfOf = async ({ owner, id }: typeof first) => owner.expect(200, await owner.get(`/applications/${id}/certificate`)).bytes;
  const before = await pdfOf(first);
  await api.sql('delete from credentials where application_id = any($1)', [[first.id, second.id]]);
  const { config } = api.platform;
  const env = { ...process.env, ...Object.fromEntries(Object.entries(config).map(([name, value]) => [name, String(value ?? '')])) };
  const run = async () => (await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'credentials'], { env })).stdout;
  const outputs = await Promise.all([run(), run()]);
  for (const output of outputs) expect(output).toMatch(/issued \d+ credentials\n$/);
  expect(await run()).toBe('issued 0 credentials\n');
  for (const one of [first, second]) {
    const { data } = one.owner.expect(200, await one.owner.get(`/applications/${one.id}/credential`)).body;
    expect(data.url).toBe(`${one.page}#${data.credential}`);
    await steps.listed(one.id, 0);
  }
  expect((await pdfOf(first)).equals(before)).toBe(true);
});
