import type { Readable } from 'node:stream';
import { DatabaseStreams, streamSubjects } from '../../../src/areas/notifications/index.ts';
import type { StreamTimes } from '../../../src/areas/notifications/stream/live-streams.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { extend, Extensions } from '../../../src/platform/extensions.ts';
import type { LiveStreams } from '../../../src/platform/runtime/live-streams.ts';
import { countStatements } from '../../support/count-statements.ts';
import { fixturesIn } from '../../support/factories.ts';
import { announce } from '../../support/factories/notifications.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Internals of streams that clients cannot observe quickly: timing, memory, database reads. */

type Started = Awaited<ReturnType<typeof startTestPlatform>>;
let started: Started;
const opened: LiveStreams[] = [];
/** Messages that cannot be read at present. */
const unreadable = new Set<number>();
const padding = 'x'.repeat(2_000);

beforeAll(async () => {
  started = await startTestPlatform();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((streams) => streams.close()));
});
afterAll(() => started.close());

const quick: StreamTimes = { beatMs: 20, commentMs: 15_000, checkMs: 60_000, stallMs: 60_000, retryMs: 20 };

function makeStreams(times: Partial<StreamTimes> = {}): DatabaseStreams {
  const extensions = new Extensions([
    extend(streamSubjects, {
      kind: 'message',
      async read(_db, { userId, language }, ids) {
        if (ids.some((id) => unreadable.has(id))) throw new Error('not now');
        // Ids divisible by a hundred are deleted.
        return new Map(ids.filter((id) => id % 100 !== 0).map((id) => [id, { id, userId, language, padding }]));
      },
    }),
  ]);
  const streams = new DatabaseStreams({ ...started.platform, extensions }, { ...quick, ...times });
  opened.push(streams);
  return streams;
}

/** An account with a session. */
async function makeViewer() {
  const { userId } = await fixturesIn(started.platform).person();
  const id = crypto.randomUUID();
  const present = new Date();
  await databaseOf(started.platform.orm.em.fork())
    .insertInto('sessions')
    .values({
      id,
      userId,
      tokenHash: id,
      csrfToken: id,
      createdAt: present,
      lastSeenAt: present,
      expiresAt: new Date(present.getTime() + 3_600_000),
    })
    .execute();
  return { sessionId: id, userId, accountableUserId: userId, requestId: 'request-of-a-test', network: '192.0.2.1' };
}

async function say(userId: number, ...messageIds: number[]): Promise<void> {
  const caller = { actor: { kind: 'process' }, requestId: 'notified-by-a-test', ip: null } as const;
  for (const id of messageIds) await commit(started.platform, caller, (ctx) => announce(ctx, [userId], id));
}

/** A client that reads all it can. */
class Client {
  text = '';
  readonly #stream: Readable;

  constructor(stream: Readable) {
    this.#stream = stream;
    stream.on('data', (chunk: Buffer) => (this.text += chunk.toString()));
  }

  get ids(): number[] {
    return [...this.text.matchAll(/^data: \{"id":(\d+)/gm)].map(([, id]) => Number(id));
  }

  get comments(): number {
    return this.text.split('\n').filter((line) => line.startsWith(':')).length;
  }

  has(count: number): Promise<number[]> {
    return waitFor(
      () => this.ids,
      ({ length }) => length >= count,
      `${count} events`,
    );
  }

  pause(): void {
    this.#stream.pause();
  }
}
const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, at) => from + at);

test('sends comments at intervals, also without events', async () => {
  const client = new Client(await makeStreams({ commentMs: 40 }).open(await makeViewer(), undefined));
  await waitFor(
    () => client.comments,
    (count) => count >= 4,
    'comments',
  );
  expect(client.ids).toEqual([]);
});

test('a client that does not read gets no more events, and resumes when it reads again', async () => {
  const streams = makeStreams();
  const viewer = await makeViewer();
  const [quickly, slowly] = [new Client(await streams.open(viewer, undefined)), await streams.open(viewer, undefined)];
  await say(viewer.userId, ...upTo(60));
  await quickly.has(60);
  // A head and some events, and not the 120 KB of all.
  expect(slowly.readableLength).toBeLessThan(24_000);
  const slow = new Client(slowly);
  await slow.has(60);
  slow.pause();
  await say(viewer.userId, 61);
  slowly.resume();
  await slow.has(61);
  expect([quickly.ids, slow.ids]).toEqual([upTo(61), upTo(61)]);
});

test('a client that reads nothing for long is disconnected', async () => {
  const viewer = await makeViewer();
  const stream = await makeStreams({ stallMs: 100 }).open(viewer, undefined);
  await say(viewer.userId, ...upTo(20));
  await waitFor(
    () => stream.closed,
    (isClosed) => isClosed,
    'the end of the stream',
  );
  expect(stream.readableEnded).toBe(false);
});

test('deleted and forbidden subjects are left out', async () => {
  const viewer = await makeViewer();
  const client = new Client(await makeStreams().open(viewer, undefined));
  await say(viewer.userId, 99, 100, 101);
  await client.has(2);
  expect(client.ids).toEqual([99, 101]);
  expect(client.text).toContain('"language":"ru"');
});

test('a failed read is retried; other accounts do not wait for it', async () => {
  const streams = makeStreams();
  const [one, other] = [await makeViewer(), await makeViewer()];
  const [held, free] = [new Client(await streams.open(one, undefined)), new Client(await streams.open(other, undefined))];
  unreadable.add(7);
  await say(one.userId, 7, 8);
  await say(other.userId, 9);
  await free.has(1);
  expect(held.ids).toEqual([]);
  unreadable.clear();
  await held.has(2);
  expect(held.ids).toEqual([7, 8]);
});

test('one read serves all streams of an account, and many accounts', async () => {
  const streams = makeStreams();
  const viewers = await Promise.all(upTo(20).map(makeViewer));
  const clients = await Promise.all(viewers.flatMap((viewer) => [1, 2].map(async () => new Client(await streams.open(viewer, undefined)))));
  const caller = { actor: { kind: 'process' }, requestId: 'notified-by-a-test', ip: null } as const;
  const ids = viewers.map(({ userId }) => userId);
  const { statements } = await countStatements(async () => {
    await commit(started.platform, caller, (ctx) => announce(ctx, ids, 1));
    await Promise.all(clients.map((client) => client.has(1)));
  });
  const readings = statements.filter(({ text }) => text.includes('unnest'));
  expect(readings.length).toBeLessThanOrEqual(3);
});

test('a stream without an answer is refused when its session or the process ends', async () => {
  const streams = makeStreams({ checkMs: 0, beatMs: 1 });
  const viewer = { ...(await makeViewer()), sessionId: crypto.randomUUID() };
  // Whether the look at the session comes before the answer or after it, no stream is left.
  const results = await Promise.allSettled(upTo(10).map(() => streams.open(viewer, undefined)));
  for (const result of results)
    if (result.status === 'fulfilled') result.value.resume();
    else expect(result.reason).toMatchObject({ code: 'service_unavailable' });
  await waitFor(
    () => results.filter((result) => result.status === 'fulfilled' && !result.value.closed).length,
    (open) => open === 0,
    'the streams to end',
  );
  const late = makeStreams();
  const other = await makeViewer();
  const opening = late.open(other, undefined);
  const closing = late.close();
  await expect(opening).rejects.toMatchObject({ code: 'service_unavailable' });
  await closing;
});

test('an account holds as many as five sessions may', async () => {
  // Four of the sessions are invented: the check does not run.
  const streams = makeStreams({ checkMs: 600_000 });
  const viewer = await makeViewer();
  const sessions = upTo(5).map(() => ({ ...viewer, sessionId: crypto.randomUUID() }));
  for (const session of sessions) await Promise.all(upTo(20).map(() => streams.open(session, undefined)));
  await expect(streams.open(viewer, undefined)).rejects.toMatchObject({ code: 'rate_limited' });
});

test('an address holds at most 200, over all accounts, and takes none from other addresses', async () => {
  // Most of the sessions are invented: the check does not run.
  const streams = makeStreams({ checkMs: 600_000 });
  const [one, two, three] = await Promise.all([makeViewer(), makeViewer(), makeViewer()]);
  const sessions = [one, two].flatMap((viewer) => upTo(5).map(() => ({ ...viewer, sessionId: crypto.randomUUID() })));
  for (const session of sessions) await Promise.all(upTo(20).map(() => streams.open(session, undefined)));
  await expect(streams.open(three, undefined)).rejects.toMatchObject({ code: 'rate_limited', details: { limit: 200 } });
  (await streams.open({ ...three, network: '192.0.2.2' }, undefined)).destroy();
});
