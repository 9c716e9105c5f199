import type { TestClient } from '../../support/client.ts';
import { openStream } from '../../support/event-stream.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mailsTo } from './account-mails.ts';
import { useRegistry } from '../../support/use-registry.ts';

/** The API is behind one proxy, so that browsers have addresses of their own. */
const { api, audit } = await useRegistry({ TRUST_PROXY: 'loopback' });

async function signedInAt(address: string, { email, password }: TestClient): Promise<TestClient> {
  const client = api.browser();
  client.from = address;
  await client.login(email, password);
  return client;
}
const listOf = async (client: TestClient): Promise<{ id: string; current: boolean; ip: string | null }[]> =>
  client.expect(200, await client.get('/account/sessions')).body.data;
const statusOf = async (client: TestClient) => (await client.get('/account')).status;

test('lists own sessions, newest first, and ends one with its stream within five seconds (ACC-26)', async () => {
  const person = await api.user();
  const other = await signedInAt('203.0.113.7', person);
  const sessions = await listOf(other);
  expect(sessions.map(({ current, ip }) => ({ current, ip }))).toEqual([
    { current: true, ip: '203.0.113.7' },
    { current: false, ip: expect.any(String) },
  ]);
  expect(Object.keys(sessions[0] ?? {}).toSorted()).toEqual([
    'created_at',
    'current',
    'expires_at',
    'id',
    'ip',
    'last_seen_at',
    'user_agent',
  ]);
  const stream = await openStream(person);
  const path = `/account/sessions/${sessions[1]?.id}`;
  expect(other.expect(200, await other.delete(path)).body.data).toEqual({ deleted: true });
  await stream.ended(5_000);
  expect([await statusOf(person), await statusOf(other)]).toEqual([401, 200]);
  expect((await other.delete(path)).status).toBe(404);
  const ended = (await audit('user', person.userId)).filter(({ action }) => action === 'session.ended');
  expect(ended).toMatchObject([{ actor_id: person.userId, data: { session_id: sessions[1]?.id } }]);
});

test('ends all sessions but the current one; of two that end each other one stays (ACC-26)', async () => {
  const person = await api.user();
  const [second, third] = [await signedInAt('203.0.113.8', person), await signedInAt('203.0.113.9', person)];
  const answers = await Promise.all([second, third].map((client) => client.delete('/account/sessions')));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
  const alive = await Promise.all([person, second, third].map(statusOf));
  expect(alive.toSorted((one, other) => one - other)).toEqual([200, 401, 401]);
});

test('administrators read the sessions of another account, page by page, audited (ADM-7)', async () => {
  const [person, administrator] = [await api.user(), await api.administrator()];
  const other = await signedInAt('203.0.113.10', person);
  const ended = await signedInAt('203.0.113.11', person);
  ended.expect(200, await ended.post('/auth/logout'));
  const path = `/admin/users/${person.userId}/sessions`;
  const { data, meta } = administrator.expect(200, await administrator.get(path)).body;
  const own = await listOf(other);
  expect(data).toEqual(own.map((session) => ({ ...session, current: undefined })));
  expect(meta).toEqual({ total: 2, page: 1, limit: 20 });
  expect((await administrator.get(`${path}?page=2&limit=1`)).body).toMatchObject({ data: [data[1]], meta: { total: 2 } });
  const read = { action: 'user.read', actor_id: administrator.userId, data: { part: 'sessions' } };
  const reads = async (userId: number) => (await audit('user', userId)).filter(({ action }) => action === 'user.read');
  expect(await reads(person.userId)).toMatchObject([read, read]);

  const ofAdministrator = await administrator.get(`/admin/users/${administrator.userId}/sessions`);
  expect(administrator.expect(200, ofAdministrator).body.data).not.toEqual([]);
  expect(await reads(administrator.userId)).toEqual([]);
  expect((await administrator.get('/admin/users/999999/sessions')).status).toBe(404);
  expect((await administrator.get(`${path}?limit=101`)).status).toBe(422);
  expect((await person.get(path)).status).toBe(403);
  const program = await administrator.program(['admin:write']);
  expect((await program.get(path)).status).toBe(403);
  await api.sql(`update sessions set last_seen_at = now() - interval '12 hours 1 minute' where user_id = $1`, [person.userId]);
  expect((await administrator.get(path)).body).toMatchObject({ data: [], meta: { total: 0 } });
});

test('a login from a new network is mailed once, and never the first login (ACC-25)', async () => {
  const person = await api.user();
  await signedInAt('198.51.100.1', person);
  await signedInAt('192.0.2.1', person);
  await signedInAt('192.0.2.1', person);
  await signedInAt('192.0.2.99', person);
  // The mail of a later network comes last.
  await signedInAt('203.0.113.200', person);
  const about = async () =>
    (await mailsTo(api, person.email)).flatMap((mail) => /\b[\d.]{7,15}\b/.exec(mail.slice(mail.indexOf('\n\n')))?.[0] ?? []);
  const networks = await waitFor(about, (found) => found.includes('203.0.113.200'), 'the mail of the last network');
  expect(networks.filter((ip) => ip === '192.0.2.1')).toHaveLength(1);
  expect(networks).not.toContain('198.51.100.1');
});
