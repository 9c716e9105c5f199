import { Client, Connection } from '@temporalio/client';
import { Client as PgClient } from 'pg';
import { randomUUID } from 'node:crypto';
import { isClosedToImpersonation } from '../../../src/http/access/access.ts';
import type { Route } from '../../../src/http/define-route.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { allRoutes } from '../../../src/registry/routes.ts';
import type { Answer, TestClient } from '../../support/client.ts';
import { contractFixtures } from '../../support/factories/contracts.ts';
import { fixturesByRequests } from '../../support/factories.ts';
import { waitFor } from '../../support/wait-for.ts';
import { mailsTo } from './account-mails.ts';
import { codeOf } from '../../support/refusals.ts';
import { type AuditRow, useRegistry } from '../../support/use-registry.ts';

const { api, make } = await useRegistry();

const published = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(({ atRoot }) => !atRoot);

const newAdministrator = () => api.anotherAdministrator('Administrator');

const ask = (administrator: TestClient, userId: number, password = administrator.password) =>
  administrator.post('/admin/impersonate', { user_id: userId, password });

/** Impersonates a user and continues with the new CSRF token. */
async function impersonate(administrator: TestClient, user: TestClient): Promise<Answer> {
  const answer = administrator.expect(200, await ask(administrator, user.userId));
  administrator.csrf = answer.body.data.csrf_token;
  return answer;
}

async function pair(): Promise<{ administrator: TestClient; user: TestClient }> {
  const [administrator, user] = await Promise.all([newAdministrator(), api.user('Дәурен')]);
  return { administrator, user };
}
async function impersonating(): Promise<{ administrator: TestClient; user: TestClient }> {
  const both = await pair();
  await impersonate(both.administrator, both.user);
  return both;
}

const whoIs = async (client: TestClient) => {
  const { user, impersonation } = (await client.session()).body.data;
  return { user: user?.id ?? null, administrator: impersonation?.administrator.id ?? null };
};

const auditWhere = (condition: string, params: unknown[]) =>
  api.sql<AuditRow>(
    `select action, actor_id, impersonated_user_id, subject_kind, subject_id, ip, data from audit_events where ${condition} order by id`,
    params,
  );
const endsOf = ({ userId }: TestClient) =>
  auditWhere(`action in ('impersonation.ended', 'impersonation.expired') and subject_id = $1`, [String(userId)]);
const sessionOf = async ({ csrf }: TestClient) => {
  const [row] = await api.sql<{ id: string; user_id: number }>('select id, user_id from sessions where csrf_token = $1', [csrf]);
  if (!row) throw new Error('the browser has no session');
  return row;
};
/** Moves the clock a second further, because its answer has whole seconds. */
async function moveClock(minutes: number): Promise<void> {
  const browser = api.browser();
  const { now } = browser.expect(200, await browser.get('/sandbox/clock')).body.data;
  browser.expect(200, await browser.put('/sandbox/clock', { now: new Date(Date.parse(now) + minutes * 60_000 + 1_000).toISOString() }));
}

// ACC-13
describe('POST /admin/impersonate', () => {
  test("opens the account in the administrator's browser, and the session and account routes show it", async () => {
    const { administrator, user } = await pair();
    const profileId = await make.profile(user);
    const { body } = await impersonate(administrator, user);
    const started = { action: 'impersonation.started', actor_id: administrator.userId, impersonated_user_id: user.userId };
    expect(await auditWhere(`action = 'impersonation.started' and subject_id = $1`, [String(user.userId)])).toMatchObject([
      { ...started, ip: '127.0.0.1', data: { session_id: (await sessionOf(administrator)).id } },
    ]);
    const shown = {
      administrator: { id: administrator.userId, name: 'Administrator', email: administrator.email },
      started_at: expect.stringMatching(/\+05:00$/),
      expires_at: expect.stringMatching(/\+05:00$/),
    };
    const holder = {
      id: user.userId,
      email: user.email,
      email_confirmed: true,
      second_factor: false,
      name: 'Дәурен',
      phone: null,
      role: 'user',
      language: 'ru',
    };
    expect(body.data).toEqual({ csrf_token: administrator.csrf, user: holder, impersonation: shown });
    const { started_at, expires_at } = body.data.impersonation;
    expect(Date.parse(expires_at) - Date.parse(started_at)).toBe(60 * 60_000);
    expect((await administrator.session()).body.data).toEqual(body.data);
    const account = administrator.expect(200, await administrator.get('/account')).body.data;
    expect(account).toMatchObject({ user: holder, role: 'user', by: 'session', impersonation: shown });
    expect(account.scopes).toEqual((await user.get('/account')).body.data.scopes);
    expect((await administrator.get('/profiles')).body.data).toMatchObject([{ id: profileId }]);
    // The user's own session does not show it.
    expect(await whoIs(user)).toEqual({ user: user.userId, administrator: null });
  });

  test('renews the session and the CSRF token; the former ones are void (ACC-3)', async () => {
    const { administrator, user } = await pair();
    const [before, session] = [administrator.copy(), await sessionOf(administrator)];
    await impersonate(administrator, user);
    expect((await sessionOf(administrator)).id).not.toBe(session.id);
    expect(administrator.csrf).not.toBe(before.csrf);
    expect(codeOf(await before.get('/account'))).toBe('401 unauthenticated');
    expect(codeOf(await before.post('/auth/logout'))).toBe('419 csrf_failed');
    const mixed = administrator.copy();
    mixed.csrf = before.csrf;
    expect(codeOf(await mixed.post('/profiles', {}))).toBe('419 csrf_failed');
  });

  test('refuses a wrong password (ACC-9)', async () => {
    const { administrator, user } = await pair();
    const body = { user_id: user.userId, password: administrator.password };
    expect(codeOf(await ask(administrator, user.userId, 'not-the-password'))).toBe('403 password_confirmation_failed');
    expect(codeOf(await ask(administrator, user.userId, user.password.toUpperCase()))).toBe('403 password_confirmation_failed');
    expect(codeOf(await administrator.post('/admin/impersonate', { ...body, reason: 'x' }))).toBe('422 validation_failed');
    expect(await whoIs(administrator)).toEqual({ user: administrator.userId, administrator: null });
    expect(await auditWhere(`action like 'impersonation.%' and subject_id = $1`, [String(user.userId)])).toEqual([]);
  });

  test('refuses oneself, an administrator, a blocked and a missing account; the session stays as it was', async () => {
    const { administrator, user } = await pair();
    const colleague = await newAdministrator();
    await api.sql(`update users set status = 'blocked' where id = $1`, [user.userId]);
    const before = await sessionOf(administrator);
    for (const id of [administrator.userId, colleague.userId, user.userId])
      expect(codeOf(await ask(administrator, id))).toBe('409 cannot_impersonate');
    expect(codeOf(await ask(administrator, 2_000_000_000))).toBe('404 not_found');
    expect(await sessionOf(administrator)).toEqual(before);
  });

  test('opens one account for two concurrent tabs and leaves no second session', async () => {
    const { administrator, user } = await pair();
    const other = await api.user();
    const tabs = [administrator.copy(), administrator.copy()];
    const answers = await Promise.all(
      tabs.map((tab, index) => tab.post('/admin/impersonate', { user_id: [user, other][index]?.userId, password: administrator.password })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.map(codeOf).filter((code) => !['401 unauthenticated', '419 csrf_failed'].includes(code))).toEqual(['200']);
    expect(await api.sql('select id from sessions where user_id = $1', [administrator.userId])).toHaveLength(1);
    // The late tab sends the cookie that its browser now has.
    const opened = answers.findIndex(({ status }) => status === 200);
    const late = (tabs[opened] ?? administrator).copy();
    expect(await whoIs(late)).toMatchObject({ administrator: administrator.userId });
  });

  test.each<[string, (both: { administrator: TestClient; user: TestClient }) => [held: TestClient, change: string], string]>([
    [
      'the user is being blocked',
      ({ user }) => [user, `update users set status = 'blocked' where id = ${user.userId}`],
      '409 cannot_impersonate',
    ],
    [
      'the administrator is losing his role',
      ({ administrator }) => [administrator, `update users set role = 'user' where id = ${administrator.userId}`],
      '403 forbidden',
    ],
    [
      'the sessions of the administrator are ending',
      ({ administrator }) => [administrator, `delete from sessions where user_id = ${administrator.userId}`],
      '401 unauthenticated',
    ],
  ])('not while %s: it waits for that and is refused', async (_name, changeOf, refusal) => {
    const both = await pair();
    const [held, change] = changeOf(both);
    const client = new PgClient({ connectionString: api.surroundings.database.ownerUrl });
    await client.connect();
    try {
      await client.query('begin');
      await client.query('select 1 from users where id = $1 for update', [held.userId]);
      await client.query(change);
      const answer = ask(both.administrator, both.user.userId);
      await waitFor(
        () => api.sql(`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
        (waiting) => waiting.length > 0,
        'the request to wait for the row',
      );
      await client.query('commit');
      expect(codeOf(await answer)).toBe(refusal);
    } finally {
      await client.end();
    }
    expect(await api.sql('select 1 from sessions where impersonated_user_id = $1', [both.user.userId])).toEqual([]);
  });
});

// ACC-13
describe('an administrator in an account', () => {
  let administrator: TestClient;
  let user: TestClient;
  beforeAll(async () => {
    ({ administrator, user } = await impersonating());
  });

  const nameOf = ({ method, path }: Route) => `${method} ${path}`;
  const send = (route: Route) => administrator.request(route.method, route.path.replaceAll(/:\w+/g, '1'));

  test('cannot reach the routes closed to impersonation, such as the administration, and the OpenAPI document says so', async () => {
    const closed = published.filter(({ access }) => isClosedToImpersonation(access));
    const open = published.filter((route) => !closed.includes(route));
    expect(open.filter(({ path }) => /^\/(admin|api-keys|auth\/password)/.test(path)).map(nameOf)).toEqual([]);
    const document = (await administrator.get('/openapi.json')).body;
    for (const route of closed) {
      expect([nameOf(route), codeOf(await send(route))]).toEqual([nameOf(route), '403 forbidden_while_impersonating']);
      const operation = document.paths[route.path.replaceAll(/:(\w+)/g, '{$1}')][route.method.toLowerCase()];
      expect(operation.responses['403'].description).toContain('forbidden_while_impersonating');
    }
  });

  test('reaches every other route with the rights of the account', async () => {
    const left = /^\/(auth\/|sandbox\/)|\/pdf$/;
    const open = published.filter(({ access, path }) => !isClosedToImpersonation(access) && access.kind !== 'public' && !left.test(path));
    const differences: string[] = [];
    for (const route of open) {
      const path = route.path.replaceAll(/:\w+/g, '1');
      const [his, holders] = [codeOf(await send(route)), codeOf(await user.request(route.method, path))];
      if (his !== holders) differences.push(`${nameOf(route)}: ${his}, the holder ${holders}`);
    }
    expect(differences).toEqual([]);
  });

  test('sees no records of other accounts or of the administration', async () => {
    const other = await api.user();
    const [own, foreign] = [await make.profile(user), await make.profile(other)];
    expect(codeOf(await administrator.get(`/profiles/${foreign}`))).toBe('404 not_found');
    expect(administrator.expect(200, await administrator.get(`/profiles/${own}`)).body.data.process).toBeUndefined();
    const read = `action = 'profile.read' and subject_kind = 'profile' and subject_id = $1 and impersonated_user_id = $2`;
    expect(await auditWhere(read, [String(own), user.userId])).toHaveLength(1);
  });

  test("cannot give consent in the owner's name, but can withdraw it", async () => {
    const { id } = await make.application(user);
    const answer = await administrator.put(`/applications/${id}/sharing`, { enabled: true, confirmed: true });
    expect(codeOf(answer)).toBe('403 forbidden_while_impersonating');
    administrator.expect(200, await administrator.put(`/applications/${id}/sharing`, { enabled: false }));
    const strangers = await make.application(await api.user());
    const consent = { enabled: true, confirmed: true };
    expect(codeOf(await administrator.put(`/applications/${strangers.id}/sharing`, consent))).toBe('404 not_found');
  });

  test("is limited by the session, uses the account's storage quota, and sends it no mail", async () => {
    const before = Number((await user.get('/account')).headers.get('ratelimit-remaining'));
    for (let count = 0; count < 5; count += 1) await administrator.get('/account');
    expect(Number((await user.get('/account')).headers.get('ratelimit-remaining'))).toBe(before - 1);
    const file = await fixturesByRequests(api).file(administrator, 'scan');
    expect(await api.sql('select owner_id from files where id = $1', [file])).toEqual([{ owner_id: user.userId }]);
    // Mails about the profile of the set-up go out some seconds later, on a slow machine within this test.
    expect((await mailsTo(api, user.email)).filter((mail) => !mail.includes('утвержд'))).toEqual([]);
  });

  test('is recorded with both ids when a request is refused (ACC-14)', async () => {
    const other = await api.user();
    const foreign = await make.profile(other);
    for (const [path, action] of [
      [`/profiles/${foreign}`, 'record.refused'],
      ['/admin/queue', 'access.refused'],
    ] as const) {
      const requestId = randomUUID();
      // Equal events of one minute are one row with the first request id, so the test finds them by the actor.
      await administrator.get(path, { 'x-request-id': requestId });
      const rows = await waitFor(
        () =>
          api.sql('select actor_id, impersonated_user_id from security_events where action = $1 and actor_id = $2', [
            action,
            administrator.userId,
          ]),
        (found) => found.length > 0,
        `the event ${action}`,
      );
      expect(rows[0]).toEqual({ actor_id: administrator.userId, impersonated_user_id: user.userId });
    }
    const reader = await newAdministrator();
    const { data } = reader.expect(200, await reader.get(`/admin/audit?category=security&actor_id=${administrator.userId}`)).body;
    expect(data).toEqual(expect.arrayContaining([expect.objectContaining({ impersonated_user_id: user.userId })]));
  });
});

// ACC-14
describe('the audit names both', () => {
  test('for commands, processes and money; the owner sees the action as their own', async () => {
    const { administrator, user } = await pair();
    const athlete = await make.athlete(user);
    const { id } = await make.application(user, { on: athlete });
    await make.money(user, 865_000);
    await impersonate(administrator, user);
    administrator.expect(200, await administrator.patch(`/applications/${id}`, { data: { team: 'Alatau' } }));
    administrator.expect(200, await administrator.post(`/applications/${id}/submit`));
    administrator.expect(200, await administrator.post(`/applications/${id}/pay`));
    const invoice = administrator.expect(
      201,
      await administrator.post('/invoices', { amount: '100.00' }, { 'idempotency-key': randomUUID() }),
    ).body.data;

    const both = { actor_id: administrator.userId, impersonated_user_id: user.userId, ip: '127.0.0.1' };
    const steps = await auditWhere(`subject_kind = 'application' and subject_id = $1 and action <> 'application.created'`, [String(id)]);
    const ofPerson = steps.filter(({ action }) => ['application.updated', 'application.submitted', 'application.paid'].includes(action));
    expect(ofPerson).toHaveLength(3);
    for (const step of ofPerson) expect(step).toMatchObject(both);
    expect(await auditWhere(`subject_kind = 'invoice' and subject_id = $1`, [String(invoice.id)])).toMatchObject([both]);
    const history = await api.sql(
      `select actor, actor_id, impersonated_user_id from application_history where application_id = $1 and step = 'submitted'`,
      [id],
    );
    expect(history).toEqual([{ actor: 'owner', actor_id: administrator.userId, impersonated_user_id: user.userId }]);
    expect(await api.sql('select actor_id from ledger_transactions where application_id = $1', [id])).toEqual([
      { actor_id: administrator.userId },
    ]);
    for (const path of [`/applications/${id}/timeline`, `/invoices/${invoice.id}/timeline`]) {
      const notified: { actor: string }[] = user.expect(200, await user.get(path)).body.data;
      expect([path, notified.map(({ actor }) => actor)]).toEqual([path, expect.not.arrayContaining(['administrator'])]);
    }
  });

  test('an idempotency key belongs to the impersonated account', async () => {
    const { administrator, user } = await impersonating();
    const { id } = await make.application(user);
    const key = { 'idempotency-key': randomUUID() };
    const cancel = () => administrator.post(`/applications/${id}/cancel`, { reason: 'asked for by telephone' }, key);
    administrator.expect(200, await cancel());
    administrator.expect(200, await cancel());
    administrator.csrf = administrator.expect(200, await administrator.post('/auth/impersonation/stop')).body.data.csrf_token;
    // In the administrator's own name this is another request, and a forbidden one.
    expect(codeOf(await cancel())).toBe('404 not_found');
    expect(await auditWhere(`action = 'application.cancelled' and subject_id = $1`, [String(id)])).toHaveLength(1);
  });
});

describe('POST /auth/impersonation/stop', () => {
  test("returns the administrator's own session with a new id and token (ACC-3)", async () => {
    const { administrator, user } = await impersonating();
    const [before, session] = [administrator.copy(), await sessionOf(administrator)];
    const { body } = administrator.expect(200, await administrator.post('/auth/impersonation/stop'));
    expect(body.data).toMatchObject({ user: { id: administrator.userId, role: 'administrator' }, impersonation: null });
    expect(body.data.csrf_token).not.toBe(before.csrf);
    administrator.csrf = body.data.csrf_token;
    expect((await sessionOf(administrator)).id).not.toBe(session.id);
    administrator.expect(200, await administrator.get('/admin/queue'));
    expect(codeOf(await before.get('/account'))).toBe('401 unauthenticated');
    expect(codeOf(await before.post('/auth/impersonation/stop'))).toBe('401 unauthenticated');
    expect(await endsOf(user)).toMatchObject([
      {
        action: 'impersonation.ended',
        actor_id: administrator.userId,
        impersonated_user_id: user.userId,
        ip: '127.0.0.1',
        data: { session_id: session.id },
      },
    ]);
  });

  test('keeps the expiry of the session', async () => {
    const { administrator, user } = await pair();
    const endOf = async () =>
      (await api.sql<{ expires_at: Date }>('select expires_at from sessions where user_id = $1', [administrator.userId]))[0]?.expires_at;
    await api.sql(`update sessions set expires_at = now() + interval '3 days' where user_id = $1`, [administrator.userId]);
    const end = await endOf();
    await impersonate(administrator, user);
    expect(await endOf()).toEqual(end);
    administrator.expect(200, await administrator.post('/auth/impersonation/stop'));
    expect(await endOf()).toEqual(end);
  });

  test('serves one of two concurrent requests', async () => {
    const { administrator, user } = await impersonating();
    const answers = await Promise.all([1, 2, 3].map(() => administrator.copy().post('/auth/impersonation/stop')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await endsOf(user)).toHaveLength(1);
    expect(await api.sql('select id from sessions where user_id = $1', [administrator.userId])).toHaveLength(1);
  });

  test('changes nothing without an impersonation', async () => {
    const { administrator } = await pair();
    expect(codeOf(await administrator.post('/auth/impersonation/stop'))).toBe('409 invalid_state');
    expect(await whoIs(administrator)).toEqual({ user: administrator.userId, administrator: null });
  });
});

describe('logout, login and new passwords during an impersonation', () => {
  test('logout signs the administrator out', async () => {
    const { administrator, user } = await impersonating();
    const { id } = await sessionOf(administrator);
    const { body } = administrator.expect(200, await administrator.post('/auth/logout'));
    expect(body.data).toMatchObject({ user: null, impersonation: null });
    expect(codeOf(await administrator.get('/account'))).toBe('401 unauthenticated');
    expect(await auditWhere(`action = 'session.ended' and data ->> 'session_id' = $1`, [id])).toMatchObject([
      { actor_id: administrator.userId, impersonated_user_id: user.userId, subject_id: String(administrator.userId) },
    ]);
    expect(await endsOf(user)).toMatchObject([{ action: 'impersonation.ended', actor_id: administrator.userId }]);
    user.expect(200, await user.get('/account'));
  });

  test('login ends the impersonation and signs the new account in', async () => {
    const { administrator, user } = await impersonating();
    const other = await api.user();
    const answer = await administrator.post('/auth/login', { email: other.email, password: other.password });
    expect(administrator.expect(200, answer).body.data).toMatchObject({ user: { id: other.userId }, impersonation: null });
    expect(await endsOf(user)).toMatchObject([
      { action: 'impersonation.ended', actor_id: administrator.userId, impersonated_user_id: user.userId },
    ]);
    const [started] = (await auditWhere(`action = 'session.started' and subject_id = $1`, [String(other.userId)])).slice(-1);
    expect(started).toMatchObject({ actor_id: other.userId, impersonated_user_id: null });
  });

  test('registration ends the impersonation and signs the new account in', async () => {
    const { administrator, user } = await impersonating();
    const { id } = await sessionOf(administrator);
    await administrator.register(`registered-${id}@example.kz`, 'New Person');
    expect(await whoIs(administrator)).toEqual({ user: administrator.userId, administrator: null });
    expect(await endsOf(user)).toMatchObject([{ action: 'impersonation.ended', data: { session_id: id } }]);
  });

  test('a new password of the administrator ends the impersonation with their other sessions', async () => {
    const { administrator, user } = await pair();
    const elsewhere = api.browser();
    await elsewhere.login(administrator.email, administrator.password);
    await impersonate(administrator, user);
    const password = { current_password: administrator.password, password: 'a-quite-different-secret' };
    elsewhere.expect(200, await elsewhere.post('/auth/password', password));
    expect(codeOf(await administrator.get('/account'))).toBe('401 unauthenticated');
    expect(await endsOf(user)).toMatchObject([{ action: 'impersonation.ended', actor_id: administrator.userId }]);
  });

  test('a new password of the user does not end the impersonation', async () => {
    const { administrator, user } = await impersonating();
    const password = { current_password: user.password, password: 'a-quite-different-secret' };
    user.expect(200, await user.post('/auth/password', password));
    expect(await whoIs(administrator)).toEqual({ user: user.userId, administrator: administrator.userId });
  });
});

describe('an impersonation ends', () => {
  const inAccountOf = (user: TestClient, administrator: TestClient) => ({ user: user.userId, administrator: administrator.userId });
  const inOwnName = ({ userId }: TestClient) => ({ user: userId, administrator: null });

  test("after an hour by the registry's clock, with the next request; the sweep updates the record", async () => {
    const { administrator, user } = await impersonating();
    const { id } = await sessionOf(administrator);
    await moveClock(59);
    expect(await whoIs(administrator)).toEqual(inAccountOf(user, administrator));
    await moveClock(1);
    // The first request with the same cookie and token has the administrator's rights again.
    administrator.expect(200, await administrator.get('/admin/queue'));
    expect(await whoIs(administrator)).toEqual(inOwnName(administrator));
    expect((await administrator.get('/account')).body.data.scopes).toHaveLength(16);
    expect(codeOf(await administrator.post('/auth/impersonation/stop'))).toBe('409 invalid_state');
    const browser = api.browser();
    for (let count = 0; count < 2; count += 1) browser.expect(200, await browser.post('/sandbox/sweep'));
    expect(await endsOf(user)).toMatchObject([
      {
        action: 'impersonation.expired',
        actor_id: administrator.userId,
        impersonated_user_id: user.userId,
        ip: null,
        data: { session_id: id },
      },
    ]);
    expect(await whoIs(administrator)).toEqual(inOwnName(administrator));
    // A new impersonation can begin.
    await impersonate(administrator, user);
    expect(await whoIs(administrator)).toEqual(inAccountOf(user, administrator));
  });

  test('by a durable timer of an hour', async () => {
    const { administrator } = await impersonating();
    const { id } = await sessionOf(administrator);
    const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = api.surroundings.config;
    const connection = await Connection.connect({ address: address ?? '' });
    try {
      const timer = new Client({ connection, namespace }).workflow.getHandle(`impersonation/${id}`);
      const historyOf = async () => (await timer.fetchHistory().catch(() => null))?.events ?? [];
      const events = await waitFor(historyOf, (seen) => seen.length > 0, 'the timer of the impersonation');
      expect(Number(events[0]?.workflowExecutionStartedEventAttributes?.firstWorkflowTaskBackoff?.seconds)).toBe(3600);
    } finally {
      await connection.close();
    }
  });

  test.each([
    ['the user is blocked', (_: TestClient, user: TestClient) => `update users set status = 'blocked' where id = ${user.userId}`],
    [
      'the user becomes an administrator',
      (_: TestClient, user: TestClient) => `update users set role = 'administrator' where id = ${user.userId}`,
    ],
    ['the administrator loses his role', ({ userId }: TestClient) => `update users set role = 'user' where id = ${userId}`],
  ])('at once when %s: the session acts for its owner again', async (_name, change) => {
    const { administrator, user } = await impersonating();
    await api.sql(change(administrator, user));
    expect(await whoIs(administrator)).toEqual(inOwnName(administrator));
    const account = administrator.expect(200, await administrator.get('/account')).body.data;
    expect(account.scopes).toHaveLength(account.role === 'administrator' ? 16 : 14);
  });

  test('at once when the administrator is blocked: the session is anonymous', async () => {
    const { administrator } = await impersonating();
    await api.sql(`update users set status = 'blocked' where id = $1`, [administrator.userId]);
    expect(await whoIs(administrator)).toEqual({ user: null, administrator: null });
    expect(codeOf(await administrator.get('/profiles'))).toBe('401 unauthenticated');
    expect(codeOf(await administrator.post('/auth/impersonation/stop'))).toBe('401 unauthenticated');
  });

  test.each([
    ['user', { status: 'blocked' }],
    ['user', { role: 'administrator' }],
    ['administrator', { status: 'blocked' }],
    ['administrator', { role: 'user' }],
  ] as const)('when another administrator makes the %s %j (ACC-17)', async (whose, change) => {
    const [{ administrator, user }, other] = [await impersonating(), await newAdministrator()];
    const set = async ({ userId }: TestClient, fields: object) =>
      other.expect(200, await other.patch(`/admin/users/${userId}`, { ...fields, password: other.password }));
    await set(whose === 'user' ? user : administrator, change);
    if (whose === 'user') {
      // The session returns for good.
      administrator.expect(200, await administrator.get('/admin/queue'));
      await set(user, { role: 'user', status: 'active' });
      expect(await whoIs(administrator)).toEqual(inOwnName(administrator));
    } else expect(codeOf(await administrator.get('/account'))).toBe('401 unauthenticated');
    expect(await endsOf(user)).toMatchObject([
      { action: 'impersonation.ended', actor_id: administrator.userId, data: { ended_by: other.userId } },
    ]);
  });
});

test.each<[string, string, 'administrator' | 'user']>([
  ['administrator is blocked', "update users set status = 'blocked' where id = $1", 'administrator'],
  ['administrator is demoted', "update users set role = 'user' where id = $1", 'administrator'],
  ['account is blocked', "update users set status = 'blocked' where id = $1", 'user'],
])('a command that began before its %s changes nothing', async (_, change, whose) => {
  const { administrator, user } = await impersonating();
  const actor = { kind: 'user', userId: administrator.userId, isAdministrator: false, impersonatedUserId: user.userId } as const;
  const caller = { actor, requestId: randomUUID(), ip: null };
  await api.sql(change, [whose === 'user' ? user.userId : administrator.userId]);
  const late = commit(api.platform, caller, ({ db }) =>
    db.updateTable('users').set({ name: 'changed late' }).where('id', '=', user.userId).execute(),
  );
  await expect(late).rejects.toMatchObject({ code: 'forbidden' });
  expect(await api.sql('select name from users where id = $1 and name = $2', [user.userId, 'changed late'])).toEqual([]);
});

describe('AUD-8: reads under impersonation', () => {
  const rowsOf = ({ userId }: TestClient) => auditWhere(`actor_id = $1 and action like '%.read'`, [userId]);

  const rowsWritten = (administrator: TestClient) =>
    api.sql('select action, subject_id, impersonated_user_id from audit_events where actor_id = $1 order by id', [administrator.userId]);

  it('leaves one row with both accounts for each address without a parameter', async () => {
    const { administrator, user } = await impersonating();
    const reads = published.filter(
      ({ method, path, access }) =>
        method === 'GET' &&
        !['public', 'session', 'impersonator'].includes(access.kind) &&
        !isClosedToImpersonation(access) &&
        !path.includes(':') &&
        !path.endsWith('/stream'),
    );
    const found: string[] = [];
    let before = 0;
    for (const { path } of reads) {
      const { status } = await administrator.get(path);
      const rows = await rowsOf(administrator);
      const written = rows.slice(before);
      before = rows.length;
      const isPrivate = !['/services/prices', '/contract-templates'].includes(path);
      const expected = status < 300 && isPrivate ? 1 : 0;
      const isOfBoth = written.every((row) => row.impersonated_user_id === user.userId);
      if (written.length !== expected || !isOfBoth) found.push(`${path} ${status}: ${written.length}`);
    }
    expect(found).toEqual([]);
    expect(before).toBeGreaterThan(10);
  });

  it('leaves one row for each read and each download of a record, and none for the owner', async () => {
    const { administrator, user } = await pair();
    const { id: application } = await make.application(user, { status: 'approved' });
    const { eventId, id: contract } = await contractFixtures(api.platform).contract(user);
    const profile = await make.profile(user);
    const file = await make.file(user, 'scan', 'a scan');
    const { id: invoice } = user.expect(201, await user.post('/invoices', { amount: '1000.00' }, { 'idempotency-key': randomUUID() })).body
      .data;
    user.expect(200, await user.get(`/profiles/${profile}`));
    expect(await auditWhere(`action = 'profile.read' and subject_id = $1`, [String(profile)])).toEqual([]);
    await impersonate(administrator, user);
    const reads = [
      [`/applications/${application}`, 'application.read', application],
      [`/applications/${application}/certificate`, 'application.read', application],
      [`/profiles/${profile}`, 'profile.read', profile],
      [`/files/${file}`, 'file.read', file],
      [`/invoices/${invoice}`, 'invoice.read', invoice],
      [`/events/${eventId}`, 'event.read', eventId],
      [`/events/${eventId}/registrations/export`, 'registrations.exported', eventId],
      [`/contracts/${contract}`, 'contract.read', contract],
      [`/contracts/${contract}/pdf`, 'contract.downloaded', contract],
    ] as const;
    for (const [path, action, id] of reads) {
      const before = await rowsWritten(administrator);
      administrator.expect(200, await administrator.get(path));
      const rows = (await rowsWritten(administrator)).slice(before.length);
      expect([path, rows]).toEqual([path, [{ action, subject_id: String(id), impersonated_user_id: user.userId }]]);
    }
  });

  it('AUD-4: leaves a row for the list of chats and the ledger of one account', async () => {
    const { administrator, user } = await pair();
    for (const path of ['/admin/chats', '/admin/ledger', `/admin/ledger?user_id=${user.userId}`])
      administrator.expect(200, await administrator.get(path));
    expect((await rowsOf(administrator)).map((row) => row.action)).toEqual(['chat.read', 'ledger.read']);
  });
});
