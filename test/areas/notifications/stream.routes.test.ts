import { connect } from 'node:net';
import { startApi } from '../../../src/api.ts';
import { TestClient } from '../../support/client.ts';
import { openStream, type TestStream } from '../../support/event-stream.ts';
import { tell } from '../../support/factories/notifications.ts';
import { waitFor } from '../../support/wait-for.ts';
import { useRegistry } from '../../support/use-registry.ts';

const { api } = await useRegistry();

const subjectsOf = ({ events }: TestStream) => events.map(({ data }) => Number(data.subject?.id));
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);
const openStreams = async () =>
  Number(/^registry_streams_open (\d+)$/m.exec((await api.browser().get('/metrics')).bytes.toString())?.[1] ?? -1);
/** The stream ends although the client does not read; the promise rejects otherwise. */
const endsSoon = (stream: TestStream) => stream.ended(5_000);

describe('GET /notifications/stream', () => {
  test('admits only browser sessions', async () => {
    const person = await api.user();
    const program = await person.program(['notifications:read']);
    expect(await program.get('/notifications/stream')).toMatchObject({
      status: 403,
      body: { error: { code: 'browser_session_required' } },
    });
    const browser = api.browser();
    await browser.session();
    expect((await browser.get('/notifications/stream')).body.error.code).toBe('unauthenticated');
    expect((await person.get('/notifications/stream?since=1')).body.error.code).toBe('validation_failed');
  });

  test('sends new events as the list shows them, and no earlier ones', async () => {
    const person = await api.user();
    await tell(api.platform, person.userId, 1);
    const stream = await openStream(person);
    const { headers } = stream.response;
    expect(headers.get('content-type')).toBe('text/event-stream');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-accel-buffering')).toBe('no');
    expect(headers.get('x-request-id')).toMatch(/./);
    await tell(api.platform, person.userId, 2, 3);
    const events = await stream.has(2);
    const { data: listed } = (await person.get('/notifications')).body;
    expect(events.map(({ event, data }) => ({ event, data }))).toEqual([
      { event: 'notification', data: listed[1] },
      { event: 'notification', data: listed[0] },
    ]);
    const [first, second] = events;
    expect(Number(second?.id)).toBeGreaterThan(Number(first?.id));
    stream.drop();
  });

  test('is described with the shapes of its events', async () => {
    const { body } = await api.browser().get('/openapi.json');
    const { responses } = body.paths['/notifications/stream'].get;
    expect(responses['200'].content['text/event-stream']['x-events']).toMatchObject({
      notification: { $ref: '#/components/schemas/Notification' },
      reset: { type: 'object' },
    });
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['401', '403', '429']));
  });

  test('is live from the moment of its answer', async () => {
    const person = await api.user();
    for (let round = 1; round <= 5; round += 1) {
      const stream = await openStream(person);
      await tell(api.platform, person.userId, round);
      await stream.has(1);
      expect(subjectsOf(stream)).toEqual([round]);
      stream.drop();
    }
  });

  test('sends to every tab of the account and to no other account', async () => {
    const [person, other] = [await api.user(), await api.user()];
    const tabs = [await openStream(person), await openStream(person)];
    const foreign = await openStream(other);
    await tell(api.platform, person.userId, ...upTo(3));
    await tell(api.platform, other.userId, 99);
    for (const tab of tabs) {
      await tab.has(3);
      expect(subjectsOf(tab)).toEqual([1, 2, 3]);
    }
    await foreign.has(1);
    expect(subjectsOf(foreign)).toEqual([99]);
    for (const stream of [...tabs, foreign]) stream.drop();
  });

  test('NOT-5: resumes after a disconnect without loss or repetition, however much was missed', async () => {
    const person = await api.user();
    const first = await openStream(person);
    await tell(api.platform, person.userId, 1, 2);
    await first.has(2);
    first.drop();
    // More than a page of events.
    await tell(api.platform, person.userId, ...upTo(120, 3));
    const second = await openStream(person, first.lastId);
    await tell(api.platform, person.userId, 123);
    await second.has(121);
    expect(subjectsOf(second)).toEqual(upTo(121, 3));
    expect(second.events.map(({ id }) => id)).toEqual(second.events.map(({ id }) => id).sort((a, b) => a - b));
    second.drop();
  });

  test('also resumes after a disconnect before its first event', async () => {
    const [quiet, notified] = [await api.user(), await api.user()];
    await tell(api.platform, notified.userId, 1);
    for (const person of [quiet, notified]) {
      const first = await openStream(person);
      await waitFor(
        () => first.lastId,
        (id) => id !== '',
        'the place of the stream',
      );
      first.drop();
      await tell(api.platform, person.userId, 7, 8);
      const second = await openStream(person, first.lastId);
      await second.has(2);
      expect(subjectsOf(second)).toEqual([7, 8]);
      second.drop();
    }
  });

  test('ignores the Last-Event-ID of another account', async () => {
    const [person, other] = [await api.user(), await api.user()];
    await tell(api.platform, other.userId, 1);
    await tell(api.platform, person.userId, 1, 2);
    await tell(api.platform, other.userId, 2);
    await tell(api.platform, person.userId, 3);
    const rows = await api.sql<{ sequence: string }>('select sequence from stream_events where user_id = $1', [other.userId]);
    expect(rows).toHaveLength(2);
    for (const { sequence } of rows) {
      const stream = await openStream(person, sequence);
      await tell(api.platform, person.userId, 4);
      await stream.has(1);
      expect(subjectsOf(stream)).toEqual([4]);
      stream.drop();
    }
  });

  test('NOT-5: sends `reset` when missed events are deleted, and is live from then on', async () => {
    const person = await api.user();
    const first = await openStream(person);
    await tell(api.platform, person.userId, 1, 2);
    await first.has(2);
    first.drop();
    const browser = api.browser();
    const { now } = (await browser.get('/sandbox/clock')).body.data;
    await api.travelTo(new Date(Date.parse(now) + 8 * 86_400_000).toISOString());
    expect(await api.sql('select 1 from stream_events where user_id = $1', [person.userId])).toEqual([]);
    // The notifications themselves stay.
    expect((await person.get('/notifications')).body.meta.total).toBe(2);
    for (const { id } of first.events) {
      const stream = await openStream(person, id);
      await tell(api.platform, person.userId, 3);
      await stream.has(2);
      expect(stream.events.map(({ event, data }) => [event, data.subject?.id])).toEqual([
        ['reset', undefined],
        ['notification', '3'],
      ]);
      stream.drop();
      await api.sql('delete from stream_events where user_id = $1', [person.userId]);
    }
    // A client that opened when no event was kept resumes there and missed nothing.
    const quiet = await openStream(person);
    await waitFor(
      () => quiet.lastId,
      (id) => id !== '',
      'the place of the stream',
    );
    quiet.drop();
    const again = await openStream(person, quiet.lastId);
    await tell(api.platform, person.userId, 4);
    await again.has(1);
    expect(again.events.map(({ event, data }) => [event, data.subject?.id])).toEqual([['notification', '4']]);
    again.drop();
    // The events after 0 are deleted.
    const late = await openStream(person, '0');
    await late.has(1);
    expect(late.events.map(({ event }) => event)).toEqual(['reset']);
    late.drop();
  });

  test('limits the streams of a session; another session of the account has its own limit', async () => {
    const person = await api.user();
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(person)));
    const refused = await person.get('/notifications/stream');
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limited', details: { limit: 20 } } } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const elsewhere = new TestClient(api.url);
    await elsewhere.login(person.email, person.password);
    streams.push(await openStream(elsewhere));
    streams.shift()?.drop();
    const next = await waitFor(
      () => openStream(person).catch(() => null),
      (opened) => opened !== null,
      'room for a stream',
    );
    for (const stream of [...streams, next]) stream?.drop();
  });

  test('HEAD opens no stream, and an immediate disconnect leaves nothing behind', async () => {
    const person = await api.user();
    const before = await waitFor(openStreams, (count) => count === 0, 'all streams of others to end');
    expect((await person.request('HEAD', '/notifications/stream')).status).toBe(200);
    const { hostname, port } = new URL(api.url);
    for (let round = 0; round < 10; round += 1) {
      const socket = connect(Number(port), hostname);
      const request = `GET /api/v1/notifications/stream HTTP/1.1\r\nhost: x\r\ncookie: ${person.cookie}\r\n\r\n`;
      await new Promise<void>((resolve) => socket.write(request, () => setTimeout(resolve, round)));
      socket.destroy();
    }
    expect(await waitFor(openStreams, (count) => count === before, 'the streams to end')).toBe(before);
  });
});

/** What ends a stream, also while the client does not read. */
const endings = {
  async signOut() {
    const person = await api.user();
    const elsewhere = new TestClient(api.url);
    await elsewhere.login(person.email, person.password);
    const [ending, staying] = [await openStream(person), await openStream(elsewhere)];
    person.expect(200, await person.post('/auth/logout'));
    await endsSoon(ending);
    await tell(api.platform, person.userId, 1);
    await staying.has(1);
    expect(ending.events).toEqual([]);
    staying.drop();
  },

  async otherRights() {
    const administrator = await api.administrator();
    const [blocked, promoted] = [await api.user(), await api.user()];
    const streams = [await openStream(blocked), await openStream(promoted)];
    const { password } = administrator;
    administrator.expect(200, await administrator.patch(`/admin/users/${blocked.userId}`, { status: 'blocked', password }));
    administrator.expect(200, await administrator.patch(`/admin/users/${promoted.userId}`, { role: 'administrator', password }));
    await Promise.all(streams.map(endsSoon));
    expect(streams.map(({ isEnded }) => isEnded)).toEqual([true, true]);
  },

  async expiry() {
    const people = [await api.user(), await api.user()];
    const streams = [await openStream(people[0] as TestClient), await openStream(people[1] as TestClient)];
    await api.sql(`update sessions set expires_at = now() where user_id = $1`, [people[0]?.userId]);
    await api.sql(`update sessions set last_seen_at = now() - interval '13 hours' where user_id = $1`, [people[1]?.userId]);
    await Promise.all(streams.map(endsSoon));
    expect(streams.map(({ isEnded }) => isEnded)).toEqual([true, true]);
  },

  async newPassword() {
    const person = await api.user();
    const stream = await openStream(person);
    const passwords = { current_password: person.password, password: 'another-long-enough-secret' };
    person.expect(200, await person.post('/auth/password', passwords));
    await endsSoon(stream);
    expect(stream.isEnded).toBe(true);
  },

  async impersonation() {
    const [administrator, person] = [await api.administrator(), await api.user()];
    const own = await openStream(administrator);
    const acting = await administrator.post('/admin/impersonate', { user_id: person.userId, password: administrator.password });
    administrator.csrf = administrator.expect(200, acting).body.data.csrf_token;
    await endsSoon(own);
    const stream = await openStream(administrator);
    await tell(api.platform, person.userId, 5);
    await stream.has(1);
    expect(subjectsOf(stream)).toEqual([5]);
    // A session may also expire without a signal.
    const lasting = await openStream(person);
    await api.sql(`update sessions set impersonation_expires_at = impersonation_started_at where impersonated_user_id = $1`, [
      person.userId,
    ]);
    await endsSoon(stream);
    await tell(api.platform, person.userId, 6);
    await lasting.has(1);
    lasting.drop();
  },
};

test('NOT-5: a stream ends with its session, its rights and its password, and at each end of an impersonation', async () => {
  const outcomes = await Promise.allSettled(Object.values(endings).map((ending) => ending()));
  expect(outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))).toEqual([]);
});

describe('the listening connection', () => {
  const pidsOf = () =>
    api.sql<{ pid: number }>(`select pid from pg_stat_activity where datname = current_database() and application_name = 'listen stream'`);

  test('is one, however many streams there are', async () => {
    const person = await api.user();
    const streams = await Promise.all(Array.from({ length: 10 }, () => openStream(person)));
    expect(await pidsOf()).toHaveLength(1);
    for (const stream of streams) stream.drop();
  });

  test('reconnects after a loss, and no event is lost or repeated', async () => {
    const person = await api.user();
    const stream = await openStream(person);
    const expected: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const [before] = await pidsOf();
      await api.sql('select pg_terminate_backend($1)', [before?.pid]);
      const notified = upTo(5, round * 5 + 1);
      await tell(api.platform, person.userId, ...notified);
      expected.push(...notified);
      await stream.has(expected.length);
      await waitFor(pidsOf, ([now]) => now !== undefined && now.pid !== before?.pid, 'the connection to come back');
    }
    expect(subjectsOf(stream)).toEqual(expected);
    stream.drop();
  });
});

test('every API process sends the same events; on shutdown its streams end at once, also unread ones', async () => {
  const second = await startApi(api.surroundings.config, 0);
  const person = await api.user();
  const there = new TestClient(second.url);
  there.cookie = person.cookie;
  const [here, stream] = [await openStream(person), await openStream(there)];
  const { hostname, port } = new URL(second.url);
  const silent = connect(Number(port), hostname);
  silent.on('error', () => undefined);
  silent.write(`GET /api/v1/notifications/stream HTTP/1.1\r\nhost: x\r\ncookie: ${person.cookie}\r\n\r\n`);
  silent.pause();
  await tell(api.platform, person.userId, 1, 2);
  await Promise.all([here.has(2), stream.has(2)]);
  expect(subjectsOf(stream)).toEqual(subjectsOf(here));
  const startedAt = performance.now();
  await second.close();
  // Far below the ten seconds that requests under way are given.
  expect(performance.now() - startedAt).toBeLessThan(7_000);
  await stream.ended();
  expect(here.isEnded).toBe(false);
  here.drop();
  silent.destroy();
});
