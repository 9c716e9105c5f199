import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Client } from 'pg';
import { fixturesByRequests } from '../../support/factories.ts';
import {
  changeCity,
  deliveriesOf,
  type Delivery,
  linesOf,
  readWebhook,
  subscribe,
  untilArrivals,
  untilDeliveries,
  untilLine,
  untilWebhook,
} from '../../support/factories/webhooks.ts';
import { startWebhookReceivers } from '../../support/outside-servers/webhook-receiver.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Webhooks whose receiver fails. */
const receivers = await startWebhookReceivers();
const { api, administrator } = await useRegistry();
const make = fixturesByRequests(api);

afterAll(() => receivers.close());

/** The domain clock. */
const clockNow = async () => Date.parse((await api.browser().get('/sandbox/clock')).body.data.now);

test('a change that waits for its next try is not sent after the demotion of an administrator (WHK-3)', async () => {
  const [deputy, owner] = [await api.user(), await api.user()];
  await api.sql(`update users set role = 'administrator' where id = $1`, [deputy.userId]);
  const { receiver, path } = await subscribe(api, deputy, receivers.make(), ['registry.profile.*']);
  receiver.answers((response) => void response.writeHead(500).end());
  const profileId = await make.profile(owner);
  const ofProfile = (rows: Delivery[]) => rows.filter(({ subject }) => subject === `profile/${profileId}`);
  await untilDeliveries(deputy, path, (rows) => ofProfile(rows).some(({ tries }) => tries === 1), 'the first try');
  await api.sql(`update users set role = 'user' where id = $1`, [deputy.userId]);
  const rows = await waitFor(
    () => api.sql('select state, tries, problem from webhook_deliveries where subject = $1', [`profile/${profileId}`]),
    (seen) => seen.every(({ state }: { state?: string }) => state === 'failed'),
    'the end of the delivery',
  );
  expect(rows).toEqual([{ state: 'failed', tries: 1, problem: 'not_permitted' }]);
  expect(ofProfile(await deliveriesOf(deputy, path))).toEqual([]);
  expect(linesOf(receiver).filter((line) => line.endsWith(`profile/${profileId}`))).toHaveLength(1);
  expect((await readWebhook(deputy, path)).enabled).toBe(true);
});

describe('a receiver that fails', () => {
  test('gets each change again in the order of its record, while others go on (WHK-4, WHK-5)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(api, owner, receivers.make());
    const [broken, healthy] = [await make.profile(owner), await make.profile(owner)];
    await untilLine(receiver, `profile.created profile/${healthy}`);
    let isDown = true;
    receiver.answers((response, { change }) => {
      response.statusCode = isDown && change.data.id === broken ? 500 : 204;
      response.end(isDown ? 'out of order' : '');
    });
    await changeCity(owner, broken, 'Алматы');
    await untilLine(receiver, `profile.updated profile/${broken}`);
    await changeCity(owner, broken, 'Астана');
    await changeCity(owner, healthy, 'Астана');
    await untilLine(receiver, `profile.updated profile/${healthy}`);
    const rows = await untilDeliveries(
      owner,
      path,
      (seen) => seen.some(({ tries, state }) => state === 'waiting' && tries > 0),
      'the failure',
    );
    expect(
      rows
        .filter(({ subject, state }) => subject === `profile/${broken}` && state === 'waiting')
        .map(({ tries, status, answer }) => [tries, status, answer]),
    ).toEqual([
      [0, null, null],
      [expect.any(Number), 500, 'out of order'],
    ]);
    const ids = () =>
      receiver
        .arrivals()
        .filter(({ change }) => change.subject === `profile/${broken}`)
        .map(({ id }) => id);
    // A busy machine may see further tries of the first change; the second waits behind it.
    expect(new Set(ids()).size).toBe(2);
    isDown = false;
    await waitFor(
      () => new Set(ids()).size,
      (count) => count === 3,
      'the next try and the change behind it',
    );
    const [all, turns] = [ids(), ids().filter((id, nth, every) => id !== every[nth - 1])];
    expect([all.length > 3, turns.length]).toEqual([true, 3]);
    expect((await readWebhook(owner, path)).last_delivery.status).toBe(204);
  });

  test('is disabled when it took nothing for five days, and its owner is notified; enabled again it goes on (WHK-5)', async () => {
    const owner = await api.user();
    const { id, receiver, path } = await subscribe(api, owner, receivers.make());
    receiver.answers((response) => void response.writeHead(503).end());
    const profileId = await make.profile(owner);
    await untilLine(receiver, `profile.created profile/${profileId}`);
    const startedAt = await clockNow();
    let days = 0;
    for (let tries = 1; ; tries += 1) {
      await untilDeliveries(owner, path, (rows) => rows.some((row) => row.tries === tries), `try ${tries}`);
      const present = await clockNow();
      days = (present - startedAt) / 86_400_000;
      const [row] = await waitFor(
        () => api.sql<{ next: Date | null; status: string }>('select next_try_at as next, status from webhooks where id = $1', [id]),
        ([seen]) => seen?.status === 'disabled' || (seen?.next?.getTime() ?? 0) > present,
        'the date of the next try',
      );
      if (row?.status === 'disabled') break;
      await api.travelTo(new Date((row?.next?.getTime() ?? 0) + 1_000).toISOString());
      expect(tries).toBeLessThan(15);
    }
    expect(Math.round(days * 100) / 100).toBe(5);
    const webhook = await readWebhook(owner, path);
    expect(webhook).toMatchObject({ disabled_reason: 'failed', waiting: 1 });
    const { data } = owner.expect(200, await owner.get('/notifications')).body;
    expect(data.filter(({ type }: { type: string }) => type === 'webhook.disabled')).toHaveLength(1);
    owner.expect(409, await owner.post(`${path}/test`));

    receiver.answers((response) => void response.end());
    await changeCity(owner, profileId, 'Алматы');
    expect(linesOf(receiver)).not.toContain(`profile.updated profile/${profileId}`);
    expect(owner.expect(200, await owner.patch(path, { enabled: true })).body.data).toMatchObject({ enabled: true, disabled_by: null });
    await untilLine(receiver, `profile.updated profile/${profileId}`);
  });

  test('of 500 changes of one record delays no other, which the webhook shows (WHK-4, WHK-10)', async () => {
    const owner = await api.user();
    const { id, receiver, path } = await subscribe(api, owner, receivers.make());
    const [broken, silent, healthy] = [await make.profile(owner), await make.profile(owner), await make.profile(owner)];
    await untilLine(receiver, `profile.created profile/${healthy}`);
    receiver.answers((response, { change }) => {
      if (change.data.id === silent) return;
      response.writeHead(change.data.id === broken ? 500 : 204).end();
    });
    await api.sql(
      `insert into changes (place, id, at, action, subject_kind, subject_id, status, owner_id)
         select (select change_place()), nextval('change_numbers'), now(), 'profile.updated', 'profile', $1, 'draft', $2 from generate_series(1, 500)`,
      [String(broken), owner.userId],
    );
    await changeCity(owner, silent, 'Алматы');
    await untilLine(receiver, `profile.updated profile/${silent}`);
    await untilWebhook(owner, path, ({ waiting, failing_total: failing }) => waiting >= 501 && failing >= 1, 'the changes to be read');
    for (let nth = 0; nth < 3; nth += 1) {
      const startedAt = Date.now();
      await changeCity(owner, healthy, `Қала ${nth}`);
      await waitFor(
        () => linesOf(receiver).filter((line) => line === `profile.updated profile/${healthy}`).length,
        (count) => count === nth + 1,
        'a change of another record',
      );
      expect(Date.now() - startedAt).toBeLessThan(8_000);
    }
    const shown = await readWebhook(owner, path);
    expect(shown).toMatchObject({ enabled: true, failing_total: expect.any(Number) });
    expect(shown.waiting).toBeGreaterThanOrEqual(500);
    expect(Date.parse(shown.oldest_waiting_at)).toBeGreaterThan(0);
    expect(shown.failing_subjects).toContainEqual({
      subject: `profile/${broken}`,
      since: expect.any(String),
      attempts: expect.any(Number),
      last_status: 500,
    });
    expect(new Set(receiver.arrivals().flatMap(({ change, id: change_id }) => (change.data.id === broken ? [change_id] : []))).size).toBe(
      2,
    );

    receiver.answers((response) => void response.end());
    owner.expect(200, await owner.patch(path, { enabled: false }));
    owner.expect(200, await owner.patch(path, { enabled: true }));
    const left = await untilWebhook(owner, path, ({ waiting }) => waiting === 0, 'all changes');
    expect(left).toMatchObject({ failing_subjects: [], failing_total: 0, oldest_waiting_at: null });
    const numbers = receiver.arrivals().flatMap(({ change }) => (change.data.id === broken ? [Number(change.id.split('-')[1])] : []));
    expect(numbers).toEqual(numbers.toSorted((left_, right) => left_ - right));
    expect(await api.sql('select from webhook_subjects where webhook_id = $1', [id])).toEqual([]);
  });

  test('is not asked again before the time of its `Retry-After` (WHK-5)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(api, owner, receivers.make());
    const untilNextTry = (isIt: (ms: number) => boolean, what: string) =>
      waitFor(async () => Date.parse((await readWebhook(owner, path)).next_try_at) - (await clockNow()), isIt, what);
    receiver.answers((response) => void response.writeHead(503, { 'retry-after': '7200' }).end());
    const first = await make.profile(owner);
    await untilLine(receiver, `profile.created profile/${first}`);
    await untilNextTry((ms) => ms > 7_100_000, 'two hours');
    receiver.answers((response) => void response.writeHead(429, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }).end());
    const second = await make.profile(owner);
    await untilLine(receiver, `profile.created profile/${second}`);
    await untilNextTry((ms) => ms < 3_700_000, 'an hour');
    // 429 is about all requests.
    const third = await make.profile(owner);
    await untilWebhook(owner, path, ({ waiting }) => waiting === 3, 'the third change to be read');
    expect(linesOf(receiver)).not.toContain(`profile.created profile/${third}`);
    await untilNextTry((ms) => ms > 3_000_000, 'an hour');
  });

  test('keeps its pause of a 429 whatever it takes after it: requests under way, and a test (WHK-5)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(api, owner, receivers.make());
    const held: ServerResponse[] = [];
    receiver.answers((response) => void held.push(response));
    const untilHeld = (count: number) =>
      waitFor(
        () => held.length,
        (reached) => reached === count,
        `request ${count}`,
      );
    await make.profile(owner);
    await untilHeld(1);
    // They wait for the first, so that one round has all three.
    await Promise.all([make.profile(owner), make.profile(owner), make.profile(owner)]);
    held[0]?.end();
    await untilHeld(4);
    const [, busy, other, late] = held;
    if (!busy || !other || !late) throw new Error('no round of three');
    const answered = once(busy, 'finish');
    busy.writeHead(429, { 'retry-after': '3600' }).end();
    await answered;
    other.end();
    await untilWebhook(owner, path, ({ waiting }) => waiting === 2, 'the other change to be delivered');
    late.end();
    await untilWebhook(owner, path, ({ waiting }) => waiting === 1, 'the late change to be delivered');
    owner.expect(200, await owner.post(`${path}/test`));
    await untilHeld(5);
    held[4]?.end();
    await untilDeliveries(owner, path, (rows) => rows.some(({ type, state }) => /tested/.test(type) && state === 'delivered'), 'the test');
    await make.profile(owner);
    const shown = await untilWebhook(owner, path, ({ waiting }) => waiting === 2, 'another change to be read');
    expect(Date.parse(shown.next_try_at) - (await clockNow())).toBeGreaterThan(3_000_000);
    expect(held.length).toBe(5);
  });

  test('delays no other when it never answers, and is shown to administrators', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const silent = await subscribe(api, owner, receivers.make());
    silent.receiver.answers(() => undefined);
    const good = await subscribe(api, other, receivers.make());
    await make.profile(owner);
    await untilArrivals(silent.receiver, (count) => count === 1, 'the silent receiver');
    const startedAt = Date.now();
    const profileId = await make.profile(other);
    await untilLine(good.receiver, `profile.created profile/${profileId}`);
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    const rows = await untilDeliveries(owner, silent.path, (seen) => seen.some(({ problem }) => problem !== null), 'the time limit');
    expect(rows).toMatchObject([{ state: 'waiting', tries: 1, status: null, problem: 'timeout' }]);
    await waitFor(
      async () => administrator.expect(200, await administrator.get(`/admin/processes?q=webhook/${silent.id}`)).body.data[0],
      ({ waiting_for: waitingFor, next_timer_at: next }) => waitingFor === 'date' && next !== null,
      'the process to wait for its next try',
    );
  });

  test('gets a slow test once, whatever is sent beside it (WHK-8)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(api, owner, receivers.make());
    const tests: ServerResponse[] = [];
    receiver.answers((response, { change }) => void (change.type.includes('webhook.tested') ? tests.push(response) : response.end()));
    owner.expect(200, await owner.post(`${path}/test`));
    await untilArrivals(receiver, (count) => count === 1, 'the test');
    const profileId = await make.profile(owner);
    await untilLine(receiver, `profile.created profile/${profileId}`);
    await changeCity(owner, profileId, 'Алматы');
    await untilLine(receiver, `profile.updated profile/${profileId}`);
    expect(tests).toHaveLength(1);
    tests[0]?.end();
    const rows = await untilDeliveries(owner, path, (seen) => seen.every(({ state }) => state === 'delivered'), 'the end of the test');
    expect(rows.map(({ tries }) => tries)).toEqual([1, 1, 1]);
  });

  // Found by life 1111 (`npm run test:life`).
  test('gets a change once that it takes while the answers before are recorded (WHK-4)', async () => {
    const owner = await api.user();
    const { id, receiver, path } = await subscribe(api, owner, receivers.make());
    const held = new Map<number | string, ServerResponse>();
    receiver.answers((response, { change }) => void held.set(change.data.id, response));
    const untilHeld = (count: number) =>
      waitFor(
        () => held.size,
        (reached) => reached === count,
        `request ${count}`,
      );
    const slow = await make.profile(owner);
    await untilHeld(1);
    const quick = await make.profile(owner);
    await untilHeld(2);
    const open = new Client({ connectionString: api.surroundings.database.ownerUrl });
    await open.connect();
    await open.query('begin');
    await open.query('select from webhooks where id = $1 for update', [id]);
    held.get(quick)?.end();
    const waiting = () =>
      api.sql(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ilike '%webhooks%'`);
    await waitFor(waiting, ({ length }) => length > 0, 'the record of the quick answer');
    const [answer] = [held.get(slow)];
    if (answer === undefined) throw new Error('no slow request');
    const ended = once(answer, 'close');
    answer.end();
    await ended;
    receiver.answers((response) => void response.end());
    await open.query('commit');
    await open.end();
    await changeCity(owner, slow, 'Алматы');
    await untilLine(receiver, `profile.updated profile/${slow}`);
    expect(linesOf(receiver).filter((line) => line.startsWith('profile.created'))).toHaveLength(2);
    const rows = await untilDeliveries(owner, path, (seen) => seen.every(({ state }) => state === 'delivered'), 'the end of all');
    expect(rows.map(({ tries }) => tries)).toEqual([1, 1, 1]);
  });
});
