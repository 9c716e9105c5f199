import { clearWebhooks } from '../../../src/areas/webhooks/index.ts';
import { commit } from '../../../src/platform/command.ts';
import type { TestClient } from '../../support/client.ts';
import { type Fixtures, fixturesOf } from '../../support/factories.ts';
import { countSignatures, startWebhookReceivers, type WebhookReceivers } from '../../support/outside-servers/webhook-receiver.ts';
import { administratorPassword, startTestApi, type TestApi } from '../../support/test-api.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Webhooks with real receivers on loopback. */
let api: TestApi;
let make: Fixtures<TestClient>;
let administrator: TestClient;
let receivers: WebhookReceivers;

beforeAll(async () => {
  receivers = await startWebhookReceivers();
  api = await startTestApi({ WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
  make = fixturesOf(api);
  administrator = await api.administrator();
});
afterAll(async () => {
  await api.close();
  await receivers.close();
});

type Receiver = ReturnType<WebhookReceivers['make']>;

async function subscribe(client: TestClient, types: string[] = ['registry.profile.*'], receiver: Receiver = receivers.make()) {
  const { body } = client.expect(201, await client.post('/webhooks', { url: receiver.url, types }));
  const { id, secret } = body.data as { id: number; secret: string };
  await asleep(id);
  return { id, secret, receiver, path: `/webhooks/${id}` };
}

/** Until the next change would wake the process. */
const asleep = (id: number) =>
  waitFor(
    () => api.sql('select from change_waiters where process = $1', [`webhook/${id}`]),
    (rows) => rows.length === 1,
    'the webhook to wait for changes',
  );

const lines = (receiver: Receiver) =>
  receiver.arrivals().map(({ change }) => `${change.type.slice('registry.'.length, -'.v1'.length)} ${change.subject}`);

const until = (receiver: Receiver, line: string) =>
  waitFor(
    () => lines(receiver),
    (seen) => seen.includes(line),
    line,
  );

const deliveriesOf = async (client: TestClient, path: string, state = '') =>
  client.expect(200, await client.get(`${path}/deliveries${state && `?state=${state}`}`)).body.data as {
    id: number;
    webhook_id: string;
    subject: string;
    type: string;
    state: string;
    tries: number;
    status: number | null;
    problem: string | null;
    answer: string | null;
  }[];

const untilDeliveries = (
  client: TestClient,
  path: string,
  isDone: (rows: Awaited<ReturnType<typeof deliveriesOf>>) => boolean,
  what: string,
) => waitFor(() => deliveriesOf(client, path), isDone, what);

const shown = async (client: TestClient, path: string) => client.expect(200, await client.get(path)).body.data;

const edit = async (client: TestClient, profileId: number, city: string) =>
  client.expect(200, await client.patch(`/profiles/${profileId}`, { data: { city } }));

describe('a webhook', () => {
  test('gets the changes of the account, signed, as GET /changes lists them, without personal data (WHK-1, WHK-2)', async () => {
    const owner = await api.user('Ғалымжан Құпия');
    const program = await owner.program(['webhooks:write', 'changes:read']);
    const { meta } = program.expect(200, await program.get('/changes')).body;
    const { id, secret, receiver, path } = await subscribe(program);
    const profileId = await make.profile(owner);
    await edit(owner, profileId, 'Қостанай');
    await until(receiver, `profile.updated profile/${profileId}`);
    expect(lines(receiver)).toEqual([`profile.created profile/${profileId}`, `profile.updated profile/${profileId}`]);

    const arrivals = receiver.arrivals();
    expect(arrivals.map((arrival) => countSignatures(arrival, secret))).toEqual([1, 1]);
    expect(arrivals.map(({ headers }) => headers['content-type'])).toEqual(Array(2).fill('application/cloudevents+json'));
    expect(arrivals.every(({ headers }) => Math.abs(Number(headers['webhook-timestamp']) * 1000 - Date.now()) < 60_000)).toBe(true);
    const { data } = program.expect(200, await program.get(`/changes?after=${meta.next}&types=registry.profile.*`)).body;
    expect(arrivals.map(({ change }) => change)).toEqual(data);
    expect(arrivals.map(({ id: webhookId }) => webhookId)).toEqual(data.map((change: { id: string }) => change.id));
    expect(arrivals.map(({ text }) => text).join('')).not.toMatch(/Құпия|Ғалымжан|Қостанай|example\.kz/);

    const rows = await untilDeliveries(
      owner,
      path,
      (seen) => seen.every(({ state }) => state === 'delivered'),
      'the record of the deliveries',
    );
    expect(rows.map(({ state, status, tries, answer }) => [state, status, tries, answer])).toEqual([
      ['delivered', 200, 1, ''],
      ['delivered', 200, 1, ''],
    ]);
    const webhook = await shown(owner, path);
    expect(webhook).toMatchObject({ id, enabled: true, disabled_by: null, sees_all: false, last_delivery: { status: 200, problem: null } });
    expect(JSON.stringify(webhook)).not.toContain(secret);
    const [audited] = await api.sql<{ actions: string[] }>(
      "select array_agg(action order by id) as actions from audit_events where subject_kind = 'webhook' and subject_id = $1",
      [String(id)],
    );
    expect(audited?.actions).toEqual(['webhook.created']);
  });

  test('refuses addresses and types that cannot be', async () => {
    const owner = await api.user();
    const refused = async (body: object) =>
      owner.expect(422, await owner.post('/webhooks', body)).body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(await refused({ url: 'https://10.0.0.1/hook', types: ['*'] })).toEqual(['body.url']);
    expect(await refused({ url: 'no url', types: ['registry.session.started.v1'] })).toEqual(['body.url', 'body.types.0']);
    const { path } = await subscribe(owner);
    owner.expect(422, await owner.patch(path, { url: 'http://[::1]:9/hook' }));
    expect((await owner.get('/webhooks')).body.data).toHaveLength(1);
  });

  test('is one of at most ten, also of two that come at once (WHK-1)', async () => {
    const owner = await api.user();
    const body = { url: receivers.make().url, types: ['*'] };
    const answers = await Promise.all(Array.from({ length: 12 }, () => owner.post('/webhooks', body)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
    expect(answers.find(({ status }) => status === 409)?.body.error).toMatchObject({
      code: 'quota_exceeded',
      details: { quota: 'webhooks', limit: 10 },
    });
    const [first] = (await owner.get('/webhooks')).body.data;
    owner.expect(200, await owner.delete(`/webhooks/${first.id}`));
    owner.expect(404, await owner.get(`/webhooks/${first.id}`));
    owner.expect(201, await owner.post('/webhooks', body));
  });

  test('is of its account alone, and needs its scope', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const { path } = await subscribe(owner);
    for (const answer of [
      other.get(path),
      other.patch(path, {}),
      other.delete(path),
      other.post(`${path}/test`),
      other.get(`${path}/deliveries`),
    ])
      other.expect(404, await answer);
    const program = await owner.program(['changes:read']);
    program.expect(403, await program.get('/webhooks'));
  });
});

describe('rights (WHK-3)', () => {
  test('an administrator gets all, and nothing more after the demotion or while blocked', async () => {
    const [deputy, owner] = [await api.user(), await api.user()];
    await api.sql(`update users set role = 'administrator' where id = $1`, [deputy.userId]);
    const all = await subscribe(deputy, ['*']);
    const key = await deputy.program(['webhooks:write']);
    const own = await subscribe(key, ['*']);
    expect([(await shown(deputy, all.path)).sees_all, (await shown(deputy, own.path)).sees_all]).toEqual([true, false]);
    const profileId = await make.profile(owner);
    await until(all.receiver, `profile.created profile/${profileId}`);

    // A key without `admin:read` cannot take them elsewhere.
    const elsewhere = receivers.make();
    key.expect(200, await key.patch(all.path, { description: 'all changes' }));
    expect((await shown(deputy, all.path)).sees_all).toBe(true);
    key.expect(200, await key.patch(all.path, { url: elsewhere.url }));
    expect((await shown(deputy, all.path)).sees_all).toBe(false);
    deputy.expect(200, await deputy.patch(all.path, { url: all.receiver.url }));

    await api.sql(`update users set role = 'user' where id = $1`, [deputy.userId]);
    await edit(owner, profileId, 'Алматы');
    const ownProfile = await make.profile(deputy);
    await until(all.receiver, `profile.created profile/${ownProfile}`);
    await until(own.receiver, `profile.created profile/${ownProfile}`);
    expect(lines(all.receiver)).not.toContain(`profile.updated profile/${profileId}`);
    expect(lines(elsewhere)).not.toContain(`profile.updated profile/${profileId}`);
    expect(lines(own.receiver).filter((line) => line.endsWith(`profile/${profileId}`))).toEqual([]);

    const path = `/admin/users/${deputy.userId}`;
    administrator.expect(200, await administrator.patch(path, { status: 'blocked', password: administratorPassword }));
    await asleep(all.id);
    expect(lines(all.receiver)).not.toContain(`user.blocked user/${deputy.userId}`);
    administrator.expect(200, await administrator.patch(path, { status: 'active', password: administratorPassword }));
    await until(all.receiver, `user.unblocked user/${deputy.userId}`);
  });
});

test('a change that waits for its next try is not sent after the demotion of an administrator (WHK-3)', async () => {
  const [deputy, owner] = [await api.user(), await api.user()];
  await api.sql(`update users set role = 'administrator' where id = $1`, [deputy.userId]);
  const { receiver, path } = await subscribe(deputy, ['registry.profile.*']);
  receiver.answers((response) => void response.writeHead(500).end());
  const profileId = await make.profile(owner);
  const ofProfile = (rows: Awaited<ReturnType<typeof deliveriesOf>>) => rows.filter(({ subject }) => subject === `profile/${profileId}`);
  await untilDeliveries(deputy, path, (rows) => ofProfile(rows).some(({ tries }) => tries === 1), 'the first try');
  await api.sql(`update users set role = 'user' where id = $1`, [deputy.userId]);
  const rows = await untilDeliveries(
    deputy,
    path,
    (seen) => ofProfile(seen).every(({ state }) => state === 'failed'),
    'the end of the delivery',
  );
  expect(ofProfile(rows)).toMatchObject([{ state: 'failed', tries: 1, problem: 'not_permitted' }]);
  expect(lines(receiver).filter((line) => line.endsWith(`profile/${profileId}`))).toHaveLength(1);
  expect((await shown(deputy, path)).enabled).toBe(true);
});

describe('a receiver that fails', () => {
  test('gets each change again in the order of its record, while others go on (WHK-4, WHK-5)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(owner);
    const [broken, healthy] = [await make.profile(owner), await make.profile(owner)];
    await until(receiver, `profile.created profile/${healthy}`);
    let isDown = true;
    receiver.answers((response, { change }) => {
      response.statusCode = isDown && change.data.id === broken ? 500 : 204;
      response.end(isDown ? 'out of order' : '');
    });
    await edit(owner, broken, 'Алматы');
    await until(receiver, `profile.updated profile/${broken}`);
    await edit(owner, broken, 'Астана');
    await edit(owner, healthy, 'Астана');
    await until(receiver, `profile.updated profile/${healthy}`);
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
      [1, 500, 'out of order'],
    ]);
    expect(lines(receiver).filter((line) => line === `profile.updated profile/${broken}`)).toHaveLength(1);
    isDown = false;
    await waitFor(
      () => lines(receiver).filter((line) => line === `profile.updated profile/${broken}`),
      (seen) => seen.length === 3,
      'the next try and the change behind it',
    );
    const ids = receiver
      .arrivals()
      .filter(({ change }) => change.subject === `profile/${broken}`)
      .map(({ id }) => id);
    expect([ids[1] === ids[2], new Set(ids).size]).toEqual([true, 3]);
    expect((await shown(owner, path)).last_delivery.status).toBe(204);
  });

  test('is disabled after ten tries, and its owner is told; enabled again it goes on (WHK-5)', async () => {
    const owner = await api.user();
    const { id, receiver, path } = await subscribe(owner);
    receiver.answers((response) => void response.writeHead(503).end());
    const profileId = await make.profile(owner);
    await until(receiver, `profile.created profile/${profileId}`);
    for (let tries = 1; tries <= 10; tries += 1) {
      await untilDeliveries(owner, path, (rows) => rows.some((row) => row.tries === tries), `try ${tries}`);
      if (tries === 10) break;
      const [{ next }] = (await waitFor(
        () => api.sql<{ next: Date | null }>('select next_try_at as next from webhooks where id = $1', [id]),
        ([row]) => row?.next !== null && row !== undefined,
        'the date of the next try',
      )) as [{ next: Date }];
      await api.travelTo(new Date(next.getTime() + 1_000).toISOString());
    }
    const webhook = await waitFor(
      () => shown(owner, path),
      (seen) => !seen.enabled,
      'the webhook to be disabled',
    );
    expect(webhook.disabled_by).toBe('failed');
    const { data } = owner.expect(200, await owner.get('/notifications')).body;
    expect(data.filter(({ type }: { type: string }) => type === 'webhook.disabled')).toHaveLength(1);
    owner.expect(409, await owner.post(`${path}/test`));

    receiver.answers((response) => void response.end());
    await edit(owner, profileId, 'Алматы');
    expect(lines(receiver)).not.toContain(`profile.updated profile/${profileId}`);
    expect(owner.expect(200, await owner.patch(path, { enabled: true })).body.data).toMatchObject({ enabled: true, disabled_by: null });
    await until(receiver, `profile.updated profile/${profileId}`);
  });

  test('is disabled at once when it answers 410 (WHK-5)', async () => {
    const owner = await api.user();
    const { receiver, path } = await subscribe(owner);
    receiver.answers((response) => void response.writeHead(410).end());
    await make.profile(owner);
    const webhook = await waitFor(
      () => shown(owner, path),
      (seen) => !seen.enabled,
      'the webhook to be disabled',
    );
    expect(webhook.disabled_by).toBe('gone');
    expect(receiver.arrivals()).toHaveLength(1);
  });

  test('delays no other when it never answers, and is shown to administrators', async () => {
    const [owner, other] = [await api.user(), await api.user()];
    const silent = await subscribe(owner);
    silent.receiver.answers(() => undefined);
    const good = await subscribe(other);
    await make.profile(owner);
    await waitFor(
      () => silent.receiver.arrivals().length,
      (count) => count === 1,
      'the silent receiver',
    );
    const startedAt = Date.now();
    const profileId = await make.profile(other);
    await until(good.receiver, `profile.created profile/${profileId}`);
    expect(Date.now() - startedAt).toBeLessThan(9_000);
    const rows = await untilDeliveries(owner, silent.path, (seen) => seen.some(({ problem }) => problem !== null), 'the time limit');
    expect(rows).toMatchObject([{ state: 'waiting', tries: 1, status: null, problem: 'timeout' }]);
    await waitFor(
      async () => administrator.expect(200, await administrator.get(`/admin/processes?q=webhook/${silent.id}`)).body.data[0],
      ({ waiting_for: waitingFor, next_timer_at: next }) => waitingFor === 'date' && next !== null,
      'the process to wait for its next try',
    );
  });
});

test('a new secret signs beside the former one for 24 hours (WHK-2)', async () => {
  const owner = await api.user();
  const { secret, receiver, path } = await subscribe(owner);
  const renewed = owner.expect(200, await owner.post(`${path}/secret`)).body.data.secret;
  expect(renewed).toMatch(/^whsec_[\w+/]{43}=$/);
  const profileId = await make.profile(owner);
  await until(receiver, `profile.created profile/${profileId}`);
  const signedBy = () => [secret, renewed].map((each) => countSignatures(receiver.arrivals().at(-1) as never, each));
  expect(signedBy()).toEqual([1, 1]);
  const { now } = (await api.browser().get('/sandbox/clock')).body.data;
  await api.travelTo(new Date(Date.parse(now) + 25 * 3_600_000).toISOString());
  await edit(owner, profileId, 'Алматы');
  await until(receiver, `profile.updated profile/${profileId}`);
  expect(signedBy()).toEqual([0, 1]);
});

test('a webhook whose key was lost waits for support until its owner replaces the secret (WHK-2)', async () => {
  const owner = await api.user();
  const { id, receiver, path } = await subscribe(owner);
  await api.sql("update webhooks set secret = 'bG9zdA==' where id = $1", [id]);
  const profileId = await make.profile(owner);
  const stateOf = async () => administrator.expect(200, await administrator.get(`/admin/processes?q=webhook/${id}`)).body.data[0]?.reason;
  await waitFor(stateOf, (reason) => reason !== null && reason !== undefined, 'the trouble of the process');
  owner.expect(200, await owner.post(`${path}/secret`));
  await until(receiver, `profile.created profile/${profileId}`);
  expect(String(receiver.arrivals()[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
});

test('a test comes at once whatever the types, a replay again with the same ids (WHK-8)', async () => {
  const owner = await api.user();
  const start = owner.expect(200, await owner.get('/changes')).body.meta.next;
  const { id, receiver, path } = await subscribe(owner);
  owner.expect(200, await owner.post(`${path}/test`));
  await until(receiver, `webhook.tested webhook/${id}`);
  const profileId = await make.profile(owner);
  await until(receiver, `profile.created profile/${profileId}`);
  owner.expect(200, await owner.post(`${path}/replay`, { after: start }));
  await waitFor(
    () => receiver.arrivals().length,
    (count) => count >= 3,
    'the replay',
  );
  const ids = receiver.arrivals().map((arrival) => arrival.id);
  expect([ids.length, ids[1] === ids[2]]).toEqual([3, true]);
  owner.expect(422, await owner.post(`${path}/replay`, { after: 'yesterday' }));
  receiver.answers((response) => void response.writeHead(500).end());
  owner.expect(200, await owner.post(`${path}/test`));
  const failed = await untilDeliveries(owner, path, (rows) => rows.some(({ state }) => state === 'failed'), 'the failed test');
  expect(failed.filter(({ state }) => state === 'failed')).toMatchObject([{ type: 'registry.webhook.tested.v1', tries: 1, status: 500 }]);
  expect((await shown(owner, path)).enabled).toBe(true);
  owner.expect(200, await owner.patch(path, { enabled: false }));
  owner.expect(409, await owner.post(`${path}/replay`, { after: start }));
});

test('deliveries are kept for thirty days, and a deleted webhook as long as they are (WHK-6)', async () => {
  const owner = await api.user();
  const { id, receiver, path } = await subscribe(owner);
  await make.profile(owner);
  await make.profile(owner);
  await untilDeliveries(owner, path, (rows) => rows.length === 2 && rows.every(({ state }) => state === 'delivered'), 'two deliveries');
  await api.sql(
    "update webhook_deliveries set created_at = created_at - interval '31 days' where id = (select min(id) from webhook_deliveries where webhook_id = $1)",
    [id],
  );
  const clear = () => commit(api.platform, { actor: { kind: 'process' }, requestId: 'clear', ip: null }, clearWebhooks);
  await clear();
  expect(await deliveriesOf(owner, path)).toHaveLength(1);
  owner.expect(200, await owner.delete(path));
  expect(await api.sql('select secret, former_secret from webhooks where id = $1', [id])).toEqual([{ secret: '', former_secret: null }]);
  await api.sql("update webhook_deliveries set created_at = created_at - interval '31 days' where webhook_id = $1", [id]);
  await api.sql("update webhooks set updated_at = updated_at - interval '31 days' where id = $1", [id]);
  await clear();
  expect(await api.sql('select from webhooks where id = $1', [id])).toEqual([]);
  await make.profile(owner);
  expect(receiver.arrivals()).toHaveLength(2);
});

test('200 facts of eight clients arrive at every webhook, also across a restart of the workers (CHG-6, WHK-4)', async () => {
  const owner = await api.user();
  const [one, two] = [await subscribe(owner), await subscribe(owner)];
  const profileId = await make.profile(owner);
  const wanted = 200;
  const work = Promise.all(
    Array.from({ length: 8 }, async (_, client) => {
      for (let nth = 0; nth < wanted / 8; nth += 1) await edit(owner, profileId, `Қала ${client}-${nth}`);
    }),
  );
  await waitFor(
    () => one.receiver.arrivals().length,
    (count) => count > 20,
    'the first changes',
  );
  await api.stopWorkers();
  await api.startWorkers();
  await work;
  for (const { receiver } of [one, two]) {
    await waitFor(
      () => new Set(receiver.arrivals().map(({ id }) => id)).size,
      (count) => count === wanted + 1,
      'all changes',
    );
    const places = [...new Set(receiver.arrivals().map(({ id }) => id))].map((id) => id.split('-').map(Number));
    expect(places).toEqual(places.toSorted(([place = 0, nth = 0], [otherPlace = 0, otherNth = 0]) => place - otherPlace || nth - otherNth));
  }
});

test('a change behind an open transaction arrives when it ends (CHG-6)', async () => {
  const owner = await api.user();
  const { receiver } = await subscribe(owner);
  const profileId = await make.profile(owner);
  await until(receiver, `profile.created profile/${profileId}`);
  const { Client } = await import('pg');
  const open = new Client({ connectionString: api.surroundings.database.ownerUrl });
  await open.connect();
  await open.query('begin');
  await open.query('select pg_current_xact_id()');
  await edit(owner, profileId, 'Алматы');
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(lines(receiver)).not.toContain(`profile.updated profile/${profileId}`);
  await open.query('commit');
  await open.end();
  await until(receiver, `profile.updated profile/${profileId}`);
});
