import { Client } from 'pg';
import { z } from 'zod';
import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { executeOnce } from '../../activities/execute.ts';
import { startApi } from '../../src/api.ts';
import { applicationProcess } from '../../src/areas/applications/process.ts';
import { DomainError } from '../../src/errors.ts';
import { takesIdempotencyKey } from '../../src/http/answer-once.ts';
import { describeApi } from '../../src/http/openapi/openapi.ts';
import { unrecorded } from '../../src/platform/commands/context.ts';
import { IdempotentRequest } from '../../src/platform/commands/idempotent-request.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { allRoutes } from '../../src/registry/routes.ts';
import { handlerOf } from '../support/handler-of.ts';
import { type Answer, sortTwins, TestClient } from '../support/client.ts';
import { countStatements } from '../support/count-statements.ts';
import { athleteData } from '../support/factories.ts';
import { eventFeeServiceId, eventFixtures } from '../support/factories/events.ts';
import { signingFixtures } from '../support/factories/signings.ts';
import { makeScan } from '../support/papers/scans.ts';
import { administratorPassword } from '../support/sign-up.ts';
import { waitFor } from '../support/wait-for.ts';
import { useRegistry } from '../support/use-registry.ts';

const { api, make } = await useRegistry();
const other = await api.user();

const newKey = () => ({ 'idempotency-key': randomUUID() });
const draft = () => ({ kind: 'athlete', data: athleteData });
const isReplayed = ({ headers }: Answer) => headers.get('idempotent-replayed');
const codeOf = ({ status, body }: Answer) => `${status} ${body.error?.code ?? ''}`.trim();

async function countOf(table: string, ownerId: number): Promise<number> {
  const [row] = await api.sql<{ count: number }>(`select count(*)::int as count from ${table} where owner_id = $1`, [ownerId]);
  return row?.count ?? 0;
}

/** Simulates a crash of the API between COMMIT and answer: the answer is not stored. */
function loseNextAnswer(): void {
  const { storeAnswer } = IdempotentRequest.prototype;
  IdempotentRequest.prototype.storeAnswer = async () => {
    IdempotentRequest.prototype.storeAnswer = storeAnswer;
    throw new Error('lost');
  };
}

function expectSame(repeat: Answer, first: Answer): void {
  expect([repeat.status, repeat.body.data, repeat.headers.get('location')]).toEqual([
    first.status,
    first.body.data,
    first.headers.get('location'),
  ]);
  expect([isReplayed(first), isReplayed(repeat)]).toEqual([null, 'true']);
  expect(repeat.body.request_id).not.toBe(first.body.request_id);
}

describe('a write repeated with its key', () => {
  test('API-6: takes effect once and gets the first answer, also after the record has changed', async () => {
    const person = await api.user();
    const key = newKey();
    const first = person.expect(201, await person.post('/profiles', draft(), key));
    const { id } = first.body.data;
    expectSame(await person.post('/profiles', draft(), key), first);
    person.expect(200, await person.patch(`/profiles/${id}`, { data: { ...athleteData, city: 'Astana' } }));
    // The fields of an object have no order.
    const reordered = { data: Object.fromEntries(Object.entries(athleteData).toReversed()), kind: 'athlete' };
    expectSame(await person.post('/profiles', reordered, key), first);
    expect(await countOf('profiles', person.userId)).toBe(1);
  });

  test('is refused with another body, path, query or method', async () => {
    const person = await api.user();
    const key = newKey();
    const { id } = person.expect(201, await person.post('/profiles', draft(), key)).body.data;
    const others = [
      await person.post('/profiles', { kind: 'athlete', data: { ...athleteData, city: 'Astana' } }, key),
      await person.post('/profiles?a=1', draft(), key),
      await person.post('/chat/messages', { message: 'Hello' }, key),
      await person.patch('/profiles', draft(), key),
      await person.delete(`/profiles/${id}`, undefined, key),
      await person.post('/applications/quote', { service_id: 1 }, key),
    ];
    expect(others.map(codeOf)).toEqual([
      '409 idempotency_key_conflict',
      '409 idempotency_key_conflict',
      '409 idempotency_key_conflict',
      '405 method_not_allowed',
      '409 idempotency_key_conflict',
      '409 idempotency_key_conflict',
    ]);
    expect(await countOf('profiles', person.userId)).toBe(1);
  });

  test('belongs to its account, and to the impersonating administrator', async () => {
    const [person, administrator] = [await api.user(), await api.user('Administrator')];
    await api.sql(`update users set role = 'administrator' where id = $1`, [administrator.userId]);
    const key = newKey();
    const ids = [
      person.expect(201, await person.post('/profiles', draft(), key)).body.data.id,
      administrator.expect(201, await administrator.post('/profiles', draft(), key)).body.data.id,
      other.expect(201, await other.post('/profiles', draft(), key)).body.data.id,
    ];
    const wanted = { user_id: person.userId, password: administrator.password };
    administrator.csrf = administrator.expect(200, await administrator.post('/admin/impersonate', wanted)).body.data.csrf_token;
    const organizer = { kind: 'organizer', data: {} };
    expect(codeOf(await person.post('/profiles', organizer, key))).toBe('409 idempotency_key_conflict');
    expect(codeOf(await administrator.post('/profiles', organizer, key))).toBe('422 validation_failed');
    expect(new Set(ids).size).toBe(3);
  });

  test('API-6: belongs to one API key, or to the browser sessions of the account together', async () => {
    const person = await api.user();
    const key = newKey();
    const [wide, narrow] = [
      await person.program(['profiles:read', 'profiles:write', 'wallet:write']),
      await person.program(['wallet:write']),
    ];
    const invoice = { amount: '1500.00' };
    const own = wide.expect(201, await wide.post('/invoices', invoice, key));
    expectSame(await wide.post('/invoices', invoice, key), own);
    const others = [
      narrow.expect(201, await narrow.post('/invoices', invoice, key)),
      person.expect(201, await person.post('/invoices', invoice, key)),
    ];
    expect(new Set([own, ...others].map(({ body }) => body.data.id)).size).toBe(3);
    const elsewhere = api.browser();
    await elsewhere.session();
    await elsewhere.login(person.email, person.password);
    expect(isReplayed(await elsewhere.post('/invoices', invoice, key))).toBe('true');
  });

  test('API-6: runs again where it renews the session', async () => {
    const [person, administrator] = [await api.user(), await api.administrator()];
    const key = newKey();
    const begin = { user_id: person.userId, password: administratorPassword };
    const stop = async () => {
      administrator.csrf = administrator.expect(200, await administrator.post('/admin/impersonate', begin)).body.data.csrf_token;
      return administrator.post('/auth/impersonation/stop', undefined, key);
    };
    const ended = [administrator.expect(200, await stop()), (await administrator.session(), administrator.expect(200, await stop()))];
    expect(ended.map(isReplayed)).toEqual([null, null]);
    await administrator.session();
    expect(administrator.expect(200, await administrator.get('/account')).body.data.impersonation).toBeNull();

    const change = { current_password: person.password, password: 'a-quite-different-secret' };
    const first = person.expect(200, await person.post('/auth/password', change, key));
    await person.session();
    expect(first.body.data.csrf_token).toBe(person.csrf);
    expect(codeOf(await person.post('/auth/password', change, key))).toBe('403 password_confirmation_failed');
  });

  test('API-6: is answered by the rights of today after the account has lost one', async () => {
    const [person, heir, administrator] = [await api.user(), await api.user(), await api.administrator()];
    const [key, keyOfInvoice, keyOfProgram] = [newKey(), newKey(), newKey()];
    const program = { name: 'test', scopes: ['files:read'], expires_at: '2027-01-01T00:00:00Z', password: person.password };
    const made = person.expect(201, await person.post('/api-keys', program, keyOfProgram));
    const { id } = person.expect(201, await person.post('/profiles', draft(), key)).body.data;
    const invoice = person.expect(201, await person.post('/invoices', { amount: '1500.00' }, keyOfInvoice));
    const transfer = {
      current_user_id: person.userId,
      target_user_id: heir.userId,
      reason: 'The club takes over',
      password: administratorPassword,
    };
    administrator.expect(200, await administrator.put(`/admin/profiles/${id}/owner`, transfer));
    expect(codeOf(await person.post('/profiles', draft(), key))).toBe('404 not_found');
    expect(await countOf('profiles', person.userId)).toBe(0);
    expectSame(await person.post('/invoices', { amount: '1500.00' }, keyOfInvoice), invoice);
    // It is no change of a record, and took effect once all the same.
    expectSame(await person.post('/api-keys', program, keyOfProgram), made);
    expect(await api.sql('select id from api_keys where user_id = $1', [person.userId])).toHaveLength(1);
    const narrowed = () => api.sql('select id from users where rights_narrowed_at is not null and id = $1', [heir.userId]);
    for (const role of ['administrator', 'user']) {
      expect(await narrowed()).toEqual([]);
      administrator.expect(200, await administrator.patch(`/admin/users/${heir.userId}`, { role, password: administratorPassword }));
    }
    expect(await narrowed()).toHaveLength(1);
  });

  test('API-6: shows no record that went to another account with its profile', async () => {
    const [person, heir, administrator] = [await api.user(), await api.user(), await api.administrator()];
    const events = eventFixtures(api.platform);
    await signingFixtures(api.platform).signing(administrator.userId);
    const { profileId: athleteId, documentIds } = await make.athlete(person);
    const { id: eventId, profileId } = await events.event(person, { settings: null });
    const { id: draftId } = await events.event(person, { profileId, status: 'draft' });
    const rally = { service_id: eventFeeServiceId, discipline_id: 1, title: 'x', location: 'y' };
    const dates = { starts_at: '2031-06-12T09:00:00+05:00', ends_at: '2031-06-13T18:00:00+05:00' };
    const requests: [method: 'POST' | 'PATCH' | 'PUT', path: string, body: object][] = [
      ['POST', '/applications', { profile_id: athleteId, service_id: 20, document_ids: documentIds, data: {} }],
      ['POST', '/events', { profile_id: profileId, ...rally, ...dates }],
      ['POST', '/contracts', { event_id: draftId, data: {} }],
      ['PATCH', `/events/${draftId}`, { location: 'Астана' }],
      // It changes nothing.
      ['PATCH', `/events/${draftId}`, { location: 'Астана' }],
      ['PUT', `/events/${eventId}/registration-settings`, { classes: ['N2'] }],
      ['POST', `/events/${eventId}/additional-documents`, { file_id: await make.file(person, 'scan'), title: 'x', kind: 'bulletin' }],
    ];
    const keyed = requests.map(([method, path, body]) => [method, path, { body, headers: newKey() }] as const);
    const answers = async () => {
      const sent: string[] = [];
      for (const [method, path, request] of keyed) sent.push(codeOf(await person.request(method, path, request)));
      return sent;
    };
    expect(await answers()).toEqual(['201', '201', '201', '200', '200', '200', '201']);
    expect(await answers()).toEqual(['201', '201', '201', '200', '200', '200', '201']);
    const bulletins = `/events/${eventId}/additional-documents`;
    const [bulletin] = person.expect(200, await person.get(bulletins)).body.data;
    person.expect(200, await person.delete(`${bulletins}/${bulletin.document_id}`));
    for (const id of [athleteId, profileId]) {
      const owners = { current_user_id: person.userId, target_user_id: heir.userId };
      const transfer = { ...owners, reason: 'The club takes over', password: administratorPassword };
      administrator.expect(200, await administrator.put(`/admin/profiles/${id}/owner`, transfer));
    }
    expect(await answers()).toEqual(requests.map(() => '404 not_found'));
    expect(await countOf('events', heir.userId)).toBe(3);
  });

  test('API-6: is free again after a refusal', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const body = { profile_id: profileId, service_id: 20, document_ids: documentIds, data: {} };
    const { id } = person.expect(201, await person.post('/applications', body)).body.data;
    const key = newKey();
    expect(codeOf(await person.post('/applications', { ...body, service_id: 'x' }, key))).toBe('422 validation_failed');
    expect(codeOf(await person.post('/applications', body, key))).toBe('409 duplicate_application');
    person.expect(200, await person.post(`/applications/${id}/cancel`, { reason: 'changed my mind' }));
    const made = person.expect(201, await person.post('/applications', body, key));
    expect([made.body.data.id === id, isReplayed(made)]).toEqual([false, null]);
  });

  test('fifty in parallel, at two API processes, take effect once', async () => {
    const second = await startApi(api.surroundings.config, 0);
    try {
      const person = await api.user();
      const elsewhere = Object.assign(new TestClient(second.url), { cookie: person.cookie, csrf: person.csrf });
      const key = newKey();
      const send = (_: unknown, at: number) => [person, elsewhere][at % 2]?.post('/profiles', draft(), key) ?? Promise.reject();
      const answers = await Promise.all(Array.from({ length: 50 }, send));
      const { effects, replays, others } = sortTwins(answers);
      expect([effects.map(codeOf), others]).toEqual([['201'], []]);
      for (const { body } of replays) expect(body.data.id).toBe(effects[0]?.body.data.id);
      expect(await countOf('profiles', person.userId)).toBe(1);
      for (const client of [person, elsewhere]) expect(isReplayed(await client.post('/profiles', draft(), key))).toBe('true');
    } finally {
      await second.close();
    }
  });

  test('API-6: gets 409 with a pause at once while the first is in progress, at each API process, and the answer once it has one', async () => {
    const second = await startApi(api.surroundings.config, 0);
    const holder = new Client({ connectionString: api.surroundings.database.ownerUrl });
    await holder.connect();
    try {
      const person = await api.user();
      const elsewhere = Object.assign(new TestClient(second.url), { cookie: person.cookie, csrf: person.csrf });
      const { id } = person.expect(201, await person.post('/profiles', draft())).body.data;
      const key = newKey();
      const change = { data: { ...athleteData, city: 'Astana' } };
      await holder.query('begin');
      await holder.query('select 1 from profiles where id = $1 for update', [id]);
      const first = person.patch(`/profiles/${id}`, change, key);
      await waitFor(
        () =>
          api.sql(
            `select 1 from pg_locks where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`,
          ),
        (locks) => locks.length > 0,
        'the first request to begin',
      );
      const startedAt = performance.now();
      for (const client of [person, elsewhere]) {
        const twin = await client.patch(`/profiles/${id}`, change, key);
        expect([codeOf(twin), twin.headers.get('retry-after')]).toEqual(['409 request_in_progress', '1']);
      }
      expect(performance.now() - startedAt).toBeLessThan(2_000);
      await holder.query('rollback');
      const answered = person.expect(200, await first);
      expectSame(await elsewhere.patch(`/profiles/${id}`, change, key), answered);
      const refused = async (): Promise<string[]> => {
        const next = newKey();
        return [codeOf(await person.post('/profiles', {}, next)), codeOf(await elsewhere.post('/profiles', {}, next))];
      };
      const codes = await Promise.all(Array.from({ length: 100 }, refused));
      expect(new Set(codes.flat())).toEqual(new Set(['422 validation_failed']));
    } finally {
      await holder.end();
      await second.close();
    }
  });

  test('is in progress no more when its API process has lost the database', async () => {
    const person = await api.user();
    const key = newKey();
    person.expect(201, await person.post('/profiles', draft(), newKey()));
    await api.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'running requests' and datname = current_database()",
    );
    const first = person.expect(201, await person.post('/profiles', draft(), key));
    expectSame(await person.post('/profiles', draft(), key), first);
  });

  test('also works through a process: the first answer is repeated, and the key is stored', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const body = { profile_id: profileId, service_id: 20, document_ids: documentIds, data: {} };
    const { id } = person.expect(201, await person.post('/applications', body)).body.data;
    const key = newKey();
    const first = person.expect(200, await person.post(`/applications/${id}/submit`, undefined, key));
    expectSame(await person.post(`/applications/${id}/submit`, undefined, key), first);
    expect(codeOf(await person.post(`/applications/${id}/cancel`, { reason: 'changed my mind' }, key))).toBe(
      '409 idempotency_key_conflict',
    );
    const refused = newKey();
    expect(codeOf(await person.post(`/applications/${id}/pay`, undefined, refused))).toBe('409 insufficient_funds');
    person.expect(200, await person.post(`/applications/${id}/cancel`, { reason: 'no money' }, refused));
  });
});

describe('a write whose answer was lost', () => {
  const cases: [string, (person: TestClient) => Promise<(key: Record<string, string>) => Promise<Answer>>, string][] = [
    ['POST /profiles', async (person) => (key) => person.post('/profiles', draft(), key), 'profiles'],
    ['POST /invoices', async (person) => (key) => person.post('/invoices', { amount: '1500.00' }, key), 'invoices'],
    [
      'POST /files',
      async (person) => {
        const scan = await makeScan('lost');
        return (key) => person.upload(scan, 'identity', 'scan.pdf', key);
      },
      'files',
    ],
  ];
  test.each(cases)('%s gets the same answer and takes effect once', async (_name, prepare, table) => {
    const person = await api.user();
    const send = await prepare(person);
    const key = newKey();
    loseNextAnswer();
    const first = person.expect(201, await send(key));
    const repeat = await send(key);
    expectSame(repeat, first);
    expectSame(await send(key), first);
    expect(await countOf(table, person.userId)).toBe(1);
  });

  test('API-6: a command of a process is a replay, is not sent again, and its key is taken', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const body = { profile_id: profileId, service_id: 20, document_ids: documentIds, data: {} };
    const { id } = person.expect(201, await person.post('/applications', body)).body.data;
    const commands: [string, unknown][] = [
      [`/applications/${id}/submit`, undefined],
      [`/applications/${id}/cancel`, { reason: 'changed my mind' }],
    ];
    for (const [path, content] of commands) {
      const key = newKey();
      loseNextAnswer();
      const first = person.expect(200, await person.post(path, content, key));
      await api.stopWorkers();
      expect(codeOf(await person.post(path, { reason: 'another one' }, key))).toBe('409 idempotency_key_conflict');
      expect(codeOf(await person.post('/profiles', draft(), key))).toBe('409 idempotency_key_conflict');
      expectSame(await person.post(path, content, key), first);
      await api.startWorkers();
    }
    const timeline = person.expect(200, await person.get(`/applications/${id}/timeline`)).body.data;
    expect(timeline.map(({ step }: { step: string }) => step)).toEqual(['created', 'submitted', 'cancelled']);
  });

  test('its repeat wakes the process when the message was lost after the commit', async () => {
    const person = await api.user();
    const { id } = await make.application(person, { status: 'submitted' });
    const { processes } = api.platform;
    const command = processes.command.bind(processes);
    processes.command = async (_ref, name, args, options) => {
      processes.command = command;
      // A worker runs the step and dies, Temporal forgets the message, and the caller hears nothing.
      const handler = handlerOf(applicationProcess, name);
      const { caller, commandId, request = null, privateInputId = null } = options;
      const message = { caller: unrecorded(caller), commandId, request, privateInputId, args };
      await executeOnce(api.platform, applicationProcess, handler, id, message);
      throw new DomainError('workflow_unavailable');
    };
    const key = newKey();
    const cancel = () => person.post(`/applications/${id}/cancel`, { reason: 'changed my mind' }, key);
    expect(codeOf(await cancel())).toBe('503 workflow_unavailable');
    expect(isReplayed(person.expect(200, await cancel()))).toBe('true');
    await waitFor(
      () => processes.describe(processRef('application', id)),
      (process) => process?.status === 'completed',
      'the process to learn that its application is cancelled',
    );
  });

  test('POST /applications is no duplicate of itself', async () => {
    const person = await api.user();
    const { profileId, documentIds } = await make.athlete(person);
    const body = { profile_id: profileId, service_id: 20, document_ids: documentIds, data: {} };
    const key = newKey();
    loseNextAnswer();
    const first = person.expect(201, await person.post('/applications', body, key));
    expectSame(await person.post('/applications', body, key), first);
  });

  test('DELETE answers 200 again', async () => {
    const person = await api.user();
    const { id } = person.expect(201, await person.post('/profiles', draft())).body.data;
    const key = newKey();
    loseNextAnswer();
    const first = person.expect(200, await person.delete(`/profiles/${id}`, undefined, key));
    expectSame(await person.delete(`/profiles/${id}`, undefined, key), first);
    expect(codeOf(await person.delete(`/profiles/${id}`))).toBe('404 not_found');
  });

  test('POST /api-keys shows the same key, which the database does not hold', async () => {
    const person = await api.user();
    const body = { name: 'test', scopes: ['files:read'], expires_at: '2027-01-01T00:00:00Z', password: person.password };
    const key = newKey();
    loseNextAnswer();
    const first = person.expect(201, await person.post('/api-keys', body, key));
    const kept = async () => {
      const rows = await api.sql<{ sealed: string }>('select sealed from idempotent_requests');
      return rows.map(({ sealed }) => Buffer.from(sealed, 'base64').toString('latin1') + sealed).join('\n');
    };
    expect(await kept()).not.toContain(first.body.data.key);
    expectSame(await person.post('/api-keys', body, key), first);
    expect(await kept()).not.toContain(first.body.data.key);
    expect(codeOf(await person.post('/api-keys', { ...body, name: 'other' }, key))).toBe('409 idempotency_key_conflict');
  });

  test('is refused after a change of SESSION_SECRET', async () => {
    const person = await api.user();
    const key = newKey();
    person.expect(201, await person.post('/profiles', draft(), key));
    await api.sql(`update idempotent_requests set fingerprint = 'another' || fingerprint`);
    expect(codeOf(await person.post('/profiles', draft(), key))).toBe('409 idempotency_key_conflict');
    expect(await countOf('profiles', person.userId)).toBe(1);
  });
});

describe('an upload', () => {
  const stored = async () => {
    const root = join(api.platform.config.DATA_DIR, 'files');
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).length;
  };

  test('of the same bytes is the same file, of others a conflict, and leaves no stray bytes', async () => {
    const person = await api.user();
    const [scan, another] = [await makeScan('the one'), await makeScan('the other')];
    const key = newKey();
    const before = await stored();
    const answers = await Promise.all(Array.from({ length: 2 }, () => person.upload(scan, 'identity', 'scan.pdf', key)));
    const { effects, others } = sortTwins(answers);
    expect([effects.map(codeOf), others]).toEqual([['201'], []]);
    const id: string = effects[0]?.body.data.id;
    expect(codeOf(await person.upload(another, 'identity', 'scan.pdf', key))).toBe('409 idempotency_key_conflict');
    expect(codeOf(await person.upload(scan, 'medical', 'scan.pdf', key))).toBe('409 idempotency_key_conflict');
    expect(person.expect(201, await person.upload(scan, 'identity', 'scan.pdf', key)).body.data.id).toBe(id);
    expect((await stored()) - before).toBe(1);
    expect(person.expect(200, await person.get('/files')).body.meta.total).toBe(1);
  });
});

test('a write without a key costs no extra statement; with one it costs three', async () => {
  const person = await api.user();
  await api.stopWorkers();
  try {
    const cost = async (headers: Record<string, string>) => {
      const { statements, result } = await countStatements(() => person.post('/profiles', draft(), headers));
      person.expect(201, result);
      return statements.map(({ text }) => text);
    };
    await cost({});
    const isOfKeys = (text: string) => text.includes('idempotent_requests');
    expect((await cost({})).filter(isOfKeys)).toEqual([]);
    expect((await cost(newKey())).filter(isOfKeys)).toHaveLength(3);
  } finally {
    await api.startWorkers();
  }
});

test('API-6: each route that answers the CSRF token of a session declares that it renews the session', () => {
  const routes = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' });
  const answering = routes.filter(({ response: { data } }) => data instanceof z.ZodObject && 'csrf_token' in data.shape);
  expect(answering.length).toBeGreaterThan(7);
  expect(answering.filter(({ renewsSession }) => !renewsSession).map(({ name }) => name)).toEqual([]);
});

test('the document names the key on every write of a signed-in caller that does not renew the session, and on no other', () => {
  const routes = allRoutes({ sandbox: true, ownMetricsPort: false, baseUrl: 'http://localhost' }).filter(({ atRoot }) => !atRoot);
  interface Operation {
    parameters: { name: string }[];
    responses: Record<string, { description: string; headers: object }>;
  }
  const { paths } = describeApi(routes, 'http://localhost') as { paths: Record<string, Record<string, Operation>> };
  const taking = routes.filter((route) => {
    const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method.toLowerCase()];
    if (!operation?.parameters.some(({ name }) => name === 'Idempotency-Key')) return false;
    expect(operation.responses['409']?.description).toContain('request_in_progress');
    expect(operation.responses[String(route.response.status ?? 200)]?.headers).toHaveProperty('Idempotent-Replayed');
    return true;
  });
  expect(taking.map(({ name }) => name)).toEqual(routes.filter(takesIdempotencyKey).map(({ name }) => name));
  expect(taking.length).toBeGreaterThan(70);
});
