import { Client } from 'pg';
import { clearWebhooks } from '../../../src/areas/webhooks/index.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import type { Answer } from '../../support/client.ts';
import { fixturesByRequests } from '../../support/factories.ts';
import {
  changeCity,
  deliveriesOf,
  linesOf,
  passwordOf,
  readWebhook,
  subscribe,
  untilArrivals,
  untilAsleep,
  untilDeliveries,
  untilLine,
  untilWebhook,
} from '../../support/factories/webhooks.ts';
import { countSignatures, startWebhookReceivers } from '../../support/outside-servers/webhook-receiver.ts';
import { administratorPassword } from '../../support/sign-up.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mailsTo } from '../accounts/account-mails.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** Webhooks with real receivers on loopback. */
const receivers = await startWebhookReceivers();
const { api, administrator, audit } = await useRegistry();
const make = fixturesByRequests(api);

afterAll(() => receivers.close());

describe('a webhook', () => {
  test('gets the changes of the account, signed, as GET /changes lists them, without personal data (WHK-1, WHK-2)', async () => {
    const owner = await api.user('Ғалымжан Құпия');
    const program = await owner.program(['webhooks:write', 'changes:read']);
    const { meta } = program.expect(200, await program.get('/changes')).body;
    const { id, secret, receiver, path } = await subscribe(api, program, receivers.make());
    const profileId = await make.profile(owner);
    await changeCity(owner, profileId, 'Қостанай');
    await untilLine(receiver, `profile.updated profile/${profileId}`);
    expect(linesOf(receiver)).toEqual([`profile.created profile/${profileId}`, `profile.updated profile/${profileId}`]);

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
    const webhook = await readWebhook(owner, path);
    expect(webhook).toMatchObject({ id, enabled: true, disabled_by: null, sees_all: false, last_delivery: { status: 200, problem: null } });
    expect(JSON.stringify(webhook)).not.toContain(secret);
    expect((await audit('webhook', id)).map(({ action }) => action)).toEqual(['webhook.created']);
  });

  test('WHK-7: a name that leads inside when it is called is a security event, and nothing is sent', async () => {
    const owner = await api.user();
    const { id, path } = await subscribe(api, owner, receivers.make());
    // As if the name of its address led inside since then.
    await api.sql(`update webhooks set url = 'https://10.0.0.1/' where id = $1`, [id]);
    owner.expect(200, await owner.post(`${path}/test`));
    const rows = await waitFor(
      () =>
        api.sql("select data from security_events where action = 'address.refused' and subject_kind = 'webhook' and subject_id = $1", [
          String(id),
        ]),
      ({ length }) => length > 0,
      'the security event',
    );
    expect(rows).toMatchObject([{ data: { code: 'address_refused' } }]);
    expect((await readWebhook(owner, path)).last_delivery).toMatchObject({ problem: 'address_refused' });
  });

  test('refuses addresses and types that cannot be', async () => {
    const owner = await api.user();
    const refused = async (body: object) =>
      owner
        .expect(422, await owner.post('/webhooks', { ...body, ...passwordOf(owner) }))
        .body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(await refused({ url: 'https://10.0.0.1/hook', types: ['*'] })).toEqual(['body.url']);
    expect(await refused({ url: 'no url', types: ['registry.session.started.v1'] })).toEqual(['body.url', 'body.types.0']);
    for (const inside of ['https://[4000::1]/', 'https://[2002:a00:1::1]/', 'https://[::ffff:8.8.8.8]/', 'https://192.88.99.1/'])
      expect(await refused({ url: inside, types: ['*'] })).toEqual(['body.url']);
    for (const hidden of [
      'https://example.com/\n',
      'https://exa\tmple.com/',
      'https://example.com/\u202Egnp',
      'https://example.com/\u200Ba',
    ])
      expect(await refused({ url: hidden, types: ['*'] })).toEqual(['body.url']);
    expect(await refused({ url: `https://example.com/${'ы'.repeat(400)}`, types: ['*'] })).toEqual(['body.url']);
    const { path } = await subscribe(api, owner, receivers.make());
    owner.expect(422, await owner.patch(path, { url: 'http://[::1]:9/hook', ...passwordOf(owner) }));
    const { data } = owner.expect(
      200,
      await owner.patch(path, { url: ' HTTPS://Пример.Example:443/a%20b/../c', ...passwordOf(owner) }),
    ).body;
    expect(data.url).toBe('https://xn--e1afmkfd.example/c');
    expect((await owner.get('/webhooks')).body.data).toHaveLength(1);
    await api.platform.securityLog.flush();
    const events = await api.sql("select from security_events where action = 'address.refused' and actor_id = $1", [owner.userId]);
    expect(events.length).toBeGreaterThan(0);
  });

  test('is one of at most ten, also of two that come at once (WHK-1)', async () => {
    const owner = await api.user();
    const body = { url: receivers.make().url, types: ['*'], ...passwordOf(owner) };
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
    const { path } = await subscribe(api, owner, receivers.make());
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
    const start = deputy.expect(200, await deputy.get('/changes')).body.meta.next;
    const all = await subscribe(api, deputy, receivers.make(), ['*']);
    const key = await deputy.program(['webhooks:write']);
    const own = await subscribe(api, key, receivers.make(), ['*']);
    expect([(await readWebhook(deputy, all.path)).sees_all, (await readWebhook(deputy, own.path)).sees_all]).toEqual([true, false]);
    const profileId = await make.profile(owner);
    await untilLine(all.receiver, `profile.created profile/${profileId}`);

    // A key without `admin:read` cannot use it, whoever created it (WHK-3).
    for (const answer of [
      key.get(all.path),
      key.get(`${all.path}/deliveries`),
      key.patch(all.path, { types: ['*'] }),
      key.patch(all.path, { url: receivers.make().url }),
      key.post(`${all.path}/replay`, { after: start }),
      key.post(`${all.path}/test`),
      key.post(`${all.path}/secret`),
      key.delete(all.path),
    ])
      expect((await answer).body.error).toMatchObject({ code: 'insufficient_scope', details: { scope: 'admin:read' } });
    expect((await key.get('/webhooks')).body.data.map(({ id }: { id: number }) => id)).toEqual([own.id]);

    await api.sql(`update users set role = 'user' where id = $1`, [deputy.userId]);
    await changeCity(owner, profileId, 'Алматы');
    const ownProfile = await make.profile(deputy);
    await untilLine(all.receiver, `profile.created profile/${ownProfile}`);
    await untilLine(own.receiver, `profile.created profile/${ownProfile}`);
    expect(linesOf(all.receiver)).not.toContain(`profile.updated profile/${profileId}`);
    const listed = new Set((await deliveriesOf(deputy, all.path)).map(({ subject }) => subject));
    expect([listed.has(`profile/${ownProfile}`), listed.has(`profile/${profileId}`)]).toEqual([true, false]);
    expect(linesOf(own.receiver).filter((line) => line.endsWith(`profile/${profileId}`))).toEqual([]);

    const path = `/admin/users/${deputy.userId}`;
    administrator.expect(200, await administrator.patch(path, { status: 'blocked', password: administratorPassword }));
    await untilAsleep(api, all.id);
    expect(linesOf(all.receiver)).not.toContain(`user.blocked user/${deputy.userId}`);
    administrator.expect(200, await administrator.patch(path, { status: 'active', password: administratorPassword }));
    await untilLine(all.receiver, `user.unblocked user/${deputy.userId}`);
  });
});

describe('access that ends (WHK-9)', () => {
  test('a browser session confirms a new address with the password, and the owner gets a mail', async () => {
    const owner = await api.user();
    const [first, second] = [receivers.make(), receivers.make()];
    const body = { url: first.url, types: ['*'] };
    const fieldsOf = (answer: Answer) => owner.expect(422, answer).body.error.details.fields.map(({ path }: { path: string }) => path);
    expect(fieldsOf(await owner.post('/webhooks', { ...body, url: 'https://10.0.0.1/' }))).toEqual(['body.url', 'body.password']);
    expect((await owner.post('/webhooks', { ...body, password: 'not-the-password' })).body.error.code).toBe('password_confirmation_failed');
    const { path } = await subscribe(api, owner, first);
    expect(fieldsOf(await owner.patch(path, { url: second.url }))).toEqual(['body.password']);
    owner.expect(200, await owner.patch(path, { url: first.url, description: 'the same address' }));
    owner.expect(200, await owner.patch(path, { url: second.url, ...passwordOf(owner) }));
    const key = await owner.program(['webhooks:write']);
    key.expect(200, await key.patch(path, { url: first.url }));
    const mails = await waitFor(
      async () => (await mailsTo(api, owner.email)).filter((mail) => /receiver-/.test(mail)),
      (seen) => seen.length === 3,
      'three mails',
    );
    expect(mails.map((mail) => [first.url, second.url].find((url) => mail.includes(url)))).toEqual([first.url, second.url, first.url]);
  });

  test('a new password disables all webhooks, and each is enabled with it', async () => {
    const owner = await api.user();
    const [one, other] = [await subscribe(api, owner, receivers.make()), await subscribe(api, owner, receivers.make())];
    owner.expect(200, await owner.patch(other.path, { enabled: false }));
    const password = 'another-long-secret';
    owner.expect(200, await owner.post('/auth/password', { current_password: owner.password, password, keep_api_keys: true }));
    await owner.session();
    expect((await readWebhook(owner, one.path)).enabled).toBe(true);
    owner.expect(200, await owner.post('/auth/password', { current_password: password, password: owner.password }));
    await owner.session();
    for (const { path } of [one, other])
      expect(await readWebhook(owner, path)).toMatchObject({ enabled: false, disabled_reason: 'password_changed' });
    await make.profile(owner);
    owner.expect(422, await owner.patch(one.path, { enabled: true }));
    const key = await owner.program(['webhooks:write']);
    expect((await key.patch(one.path, { enabled: true })).body.error.code).toBe('browser_session_required');
    const { data } = owner.expect(200, await owner.patch(one.path, { enabled: true, ...passwordOf(owner) })).body;
    expect(data).toMatchObject({ enabled: true, disabled_reason: null });
    await untilArrivals(one.receiver, (count) => count === 1, 'the change that waited');
    expect(other.receiver.arrivals()).toEqual([]);
  });

  test('a webhook ends with the key that created it, or gave it its address, also by the clock', async () => {
    const owner = await api.user();
    const first = await owner.program(['webhooks:write']);
    const [created, redirected] = [await subscribe(api, first, receivers.make()), await subscribe(api, owner, receivers.make())];
    first.expect(200, await first.patch(redirected.path, { url: receivers.make().url }));
    const kept = await subscribe(api, owner, receivers.make());
    const [{ id }] = owner.expect(200, await owner.get('/api-keys')).body.data;
    owner.expect(200, await owner.delete(`/api-keys/${id}`, passwordOf(owner)));
    for (const { path } of [created, redirected])
      expect(await readWebhook(owner, path)).toMatchObject({ enabled: false, disabled_reason: 'key_ended' });
    owner.expect(200, await owner.patch(created.path, { enabled: true, ...passwordOf(owner) }));

    const second = await owner.program(['webhooks:write']);
    const expiring = await subscribe(api, second, receivers.make());
    const { now } = (await api.browser().get('/sandbox/clock')).body.data;
    await api.travelTo(new Date(Date.parse(now) + 301 * 86_400_000).toISOString());
    const ended = await untilWebhook(owner, expiring.path, (seen) => !seen.enabled, 'the end of the key');
    expect(ended.disabled_reason).toBe('key_ended');
    const { data } = owner.expect(200, await owner.get('/notifications')).body;
    expect(data.filter(({ type }: { type: string }) => type === 'webhook.disabled')).toHaveLength(3);
    for (const { path } of [created, kept]) expect((await readWebhook(owner, path)).enabled).toBe(true);
  });
});

test('tests and replays are twenty an hour each, and a cursor beyond the log changes nothing (WHK-8, CHG-7)', async () => {
  const owner = await api.user();
  const start = owner.expect(200, await owner.get('/changes')).body.meta.next;
  const { receiver, path } = await subscribe(api, owner, receivers.make());
  const [place = 0, id = 0, seconds = 0] = Buffer.from(start, 'base64url').toString().split('.').slice(1).map(Number);
  const beyond = [
    [place + 1_000_000, id, seconds],
    [9_007_199_254_740_991, 0, seconds],
    [place, id, 8_640_000_000_000],
    [place, id, seconds + 400 * 86_400],
  ].map((parts) => Buffer.from(`1.${parts.join('.')}`).toString('base64url'));
  for (const after of beyond) {
    owner.expect(422, await owner.post(`${path}/replay`, { after }));
    owner.expect(422, await owner.get(`/changes?after=${after}`));
  }
  for (const [action, body] of [
    ['replay', { after: start }],
    ['test', undefined],
  ] as const) {
    const answers = await Promise.all(Array.from({ length: 21 }, () => owner.post(`${path}/${action}`, body)));
    const refused = answers.filter(({ status }) => status === 429);
    expect([refused.length, answers.filter(({ status }) => status === 200).length]).toEqual([1, 20]);
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(3_000);
  }
  const profileId = await make.profile(owner);
  await untilLine(receiver, `profile.created profile/${profileId}`);
});

test('a webhook is disabled at once when it answers 410 to a change, not to a test (WHK-5)', async () => {
  const owner = await api.user();
  const { receiver, path } = await subscribe(api, owner, receivers.make());
  receiver.answers((response) => void response.writeHead(410).end());
  owner.expect(200, await owner.post(`${path}/test`));
  await untilDeliveries(owner, path, (rows) => rows.some(({ state }) => state === 'failed'), 'the answer to the test');
  expect((await readWebhook(owner, path)).enabled).toBe(true);
  await make.profile(owner);
  const webhook = await untilWebhook(owner, path, (seen) => !seen.enabled, 'the webhook to be disabled');
  expect([webhook.disabled_reason, webhook.disabled_by]).toEqual(['gone', 'gone']);
  expect(receiver.arrivals()).toHaveLength(2);
});

test('a new secret signs beside the former one for 24 hours (WHK-2)', async () => {
  const owner = await api.user();
  const { secret, receiver, path } = await subscribe(api, owner, receivers.make());
  const renewed = owner.expect(200, await owner.post(`${path}/secret`)).body.data.secret;
  expect(renewed).toMatch(/^whsec_[\w+/]{43}=$/);
  const profileId = await make.profile(owner);
  await untilLine(receiver, `profile.created profile/${profileId}`);
  const signedBy = () => [secret, renewed].map((each) => countSignatures(receiver.arrivals().at(-1) as never, each));
  expect(signedBy()).toEqual([1, 1]);
  const { now } = (await api.browser().get('/sandbox/clock')).body.data;
  await api.travelTo(new Date(Date.parse(now) + 25 * 3_600_000).toISOString());
  await changeCity(owner, profileId, 'Алматы');
  await untilLine(receiver, `profile.updated profile/${profileId}`);
  expect(signedBy()).toEqual([0, 1]);
});

test('a webhook whose key was lost waits for support until its owner replaces the secret (WHK-2)', async () => {
  const owner = await api.user();
  const { id, receiver, path } = await subscribe(api, owner, receivers.make());
  await api.sql("update webhooks set secret = 'bG9zdA==' where id = $1", [id]);
  const profileId = await make.profile(owner);
  const stateOf = async () => administrator.expect(200, await administrator.get(`/admin/processes?q=webhook/${id}`)).body.data[0]?.reason;
  await waitFor(stateOf, (reason) => reason !== null && reason !== undefined, 'the trouble of the process');
  owner.expect(200, await owner.post(`${path}/secret`));
  await untilLine(receiver, `profile.created profile/${profileId}`);
  expect(String(receiver.arrivals()[0]?.headers['webhook-signature']).split(' ')).toHaveLength(1);
});

test('a test comes at once whatever the types, a replay again with the same ids (WHK-8)', async () => {
  const owner = await api.user();
  const start = owner.expect(200, await owner.get('/changes')).body.meta.next;
  const { id, receiver, path } = await subscribe(api, owner, receivers.make());
  owner.expect(200, await owner.post(`${path}/test`));
  await untilLine(receiver, `webhook.tested webhook/${id}`);
  const profileId = await make.profile(owner);
  await untilLine(receiver, `profile.created profile/${profileId}`);
  owner.expect(200, await owner.post(`${path}/replay`, { after: start }));
  await untilArrivals(receiver, (count) => count >= 3, 'the replay');
  const ids = receiver.arrivals().map((arrival) => arrival.id);
  expect([ids.length, ids[1] === ids[2]]).toEqual([3, true]);
  owner.expect(422, await owner.post(`${path}/replay`, { after: 'yesterday' }));
  receiver.answers((response) => void response.writeHead(500).end());
  owner.expect(200, await owner.post(`${path}/test`));
  const failed = await untilDeliveries(owner, path, (rows) => rows.some(({ state }) => state === 'failed'), 'the failed test');
  expect(failed.filter(({ state }) => state === 'failed')).toMatchObject([{ type: 'registry.webhook.tested.v1', tries: 1, status: 500 }]);
  expect((await readWebhook(owner, path)).enabled).toBe(true);
  owner.expect(200, await owner.patch(path, { enabled: false }));
  owner.expect(409, await owner.post(`${path}/replay`, { after: start }));
});

test('deliveries are kept for thirty days, and a deleted webhook as long as they are (WHK-6)', async () => {
  const owner = await api.user();
  const { id, receiver, path } = await subscribe(api, owner, receivers.make());
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

test('a change behind an open transaction arrives when it ends (CHG-6)', async () => {
  const owner = await api.user();
  const { id, receiver } = await subscribe(api, owner, receivers.make());
  const profileId = await make.profile(owner);
  await untilLine(receiver, `profile.created profile/${profileId}`);
  const open = new Client({ connectionString: api.surroundings.database.ownerUrl });
  await open.connect();
  await open.query('begin');
  await open.query('select pg_current_xact_id()');
  await changeCity(owner, profileId, 'Алматы');
  // The process has looked, and plans to look again.
  const planned = () => api.sql('select 1 from webhooks where id = $1 and due_at is not null', [id]);
  await waitFor(planned, ({ length }) => length > 0, 'the look behind which the change stands');
  expect(linesOf(receiver)).not.toContain(`profile.updated profile/${profileId}`);
  await open.query('commit');
  await open.end();
  await untilLine(receiver, `profile.updated profile/${profileId}`);
});
