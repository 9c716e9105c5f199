import { Client } from 'pg';
import { cloneDatabase, type TestDatabase } from '../../support/database.ts';
import { waitFor } from '../../support/wait-for.ts';

/** The numbers and NOTIFY messages that the database gives stream events (NOT-5): the basis of all readers. */

let database: TestDatabase;
let owner: Client;
const clients: Client[] = [];

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: database.url });
  await client.connect();
  clients.push(client);
  return client;
}

beforeAll(async () => {
  database = await cloneDatabase();
  owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  clients.push(owner);
  await owner.query(
    `insert into users (id, email, password_hash, name, created_at, updated_at)
       select n, n || '@example.kz', 'x', 'Person', now(), now() from generate_series(1, 40) n`,
  );
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await database.drop();
});

const insertion = `insert into stream_events (user_id, kind, subject_id, created_at)
  select user_id, 'message', $2, now() from unnest($1::int[]) with ordinality t(user_id, place) order by place`;

/** Listens as an API process does: after each NOTIFY it reads the account's events after its last number. */
class Reader {
  readonly heard = new Map<number, number[]>();
  readonly #last = new Map<number, number>();
  readonly #due = new Set<number>();
  #reading: Promise<void> | null = null;
  readonly #listener: Client;
  readonly #client: Client;

  constructor(listener: Client, client: Client) {
    this.#listener = listener;
    this.#client = client;
    listener.on('notification', ({ payload }) => {
      this.#due.add(Number(payload));
      this.#reading ??= this.#read().finally(() => (this.#reading = null));
    });
  }

  listen = () => this.#listener.query('listen stream');

  async stop(): Promise<void> {
    await this.#listener.query('unlisten stream');
    await this.#reading;
  }

  get count(): number {
    return [...this.heard.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async #read(): Promise<void> {
    for (const userId of this.#due) {
      this.#due.delete(userId);
      const { rows } = await this.#client.query<{ sequence: string; subject_id: string }>(
        'select sequence, subject_id from stream_events where user_id = $1 and sequence > $2 order by sequence',
        [userId, this.#last.get(userId) ?? 0],
      );
      const heard = this.heard.get(userId) ?? [];
      heard.push(...rows.map(({ subject_id }) => Number(subject_id)));
      this.heard.set(userId, heard);
      const last = rows.at(-1);
      if (last) this.#last.set(userId, Number(last.sequence));
    }
  }
}

test('a reader that continues after its last number sees every event once, in any order of transactions', async () => {
  const reader = new Reader(await connect(), await connect());
  await reader.listen();
  const [writers, rounds] = [8, 40];
  /** Committed events, by account. */
  const notified = new Map<number, number[]>();
  let count = 0;
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const client = await connect();
      for (let round = 0; round < rounds; round += 1) {
        const subject = writer * 1000 + round;
        // Half of them tell ten accounts that the others tell too, upwards or downwards; in two statements, one of them taken back.
        const from = 1 + (writer % 3) * 3;
        const accounts = Array.from({ length: 10 }, (__, at) => from + at);
        const order = round % 2 === 0 ? accounts : accounts.toReversed();
        await client.query('begin');
        await client.query(insertion, [order.slice(0, 5), subject]);
        await client.query('savepoint s');
        await client.query(insertion, [accounts, subject + 500_000]);
        await client.query('rollback to s');
        await client.query(insertion, [order.slice(5), subject]);
        const isTakenBack = round % 7 === 3;
        await client.query(isTakenBack ? 'rollback' : 'commit');
        if (isTakenBack) continue;
        count += order.length;
        for (const userId of order) notified.set(userId, [...(notified.get(userId) ?? []), subject]);
      }
    }),
  );
  await waitFor(
    () => reader.count,
    (seen) => seen >= count,
    `${count} events`,
  );
  await reader.stop();
  const sorted = (seen: ReadonlyMap<number, number[]>) =>
    [...seen].map(([userId, subjects]) => [userId, subjects.toSorted((a, b) => a - b)] as const).sort(([a], [b]) => a - b);
  expect(sorted(reader.heard)).toEqual(sorted(notified));
  // Of one writer they come in the order in which it committed them.
  for (const subjects of reader.heard.values())
    for (let writer = 0; writer < writers; writer += 1) {
      const own = subjects.filter((subject) => Math.floor(subject / 1000) === writer);
      expect(own).toEqual(own.toSorted((a, b) => a - b));
    }
});

test('NOT-1: a rolled back transaction sends nothing and leaves no number', async () => {
  const [listener, client] = [await connect(), await connect()];
  const heard: string[] = [];
  listener.on('notification', ({ payload = '' }) => heard.push(payload));
  await listener.query('listen stream');
  await client.query('begin');
  await client.query(insertion, [[30, 31], 1]);
  await client.query('set constraints all immediate');
  await client.query('rollback');
  await client.query(insertion, [[32], 2]);
  await waitFor(
    () => heard,
    ({ length }) => length > 0,
    'a word',
  );
  expect(heard).toEqual(['32']);
  const { rows } = await owner.query('select user_id from streams where user_id in (30, 31)');
  expect(rows).toEqual([]);
});

test('events of one account in a transaction are numbered in order; its first number stays', async () => {
  const client = await connect();
  await client.query('begin');
  for (const subject of [5, 6]) await client.query(insertion, [[35, 34, 35], subject]);
  await client.query('commit');
  await client.query(insertion, [[35], 7]);
  const { rows } = await owner.query<{ subject_id: string }>('select subject_id from stream_events where user_id = 35 order by sequence');
  expect(rows.map(({ subject_id }) => Number(subject_id))).toEqual([5, 5, 6, 6, 7]);
  const { rows: streams } = await owner.query(
    `select first_sequence = (select min(sequence) from stream_events e where e.user_id = s.user_id) as is_first,
       last_sequence = (select max(sequence) from stream_events e where e.user_id = s.user_id) as is_last
       from streams s where user_id in (34, 35)`,
  );
  expect(streams).toEqual([
    { is_first: true, is_last: true },
    { is_first: true, is_last: true },
  ]);
});

test('the events of a transaction are found by index, however many were numbered during a long one', async () => {
  const [long, client] = [await connect(), await connect()];
  await long.query('begin isolation level repeatable read');
  await long.query('select 1 from users limit 1');
  for (let round = 0; round < 50; round += 1) await client.query(insertion, [Array.from({ length: 20 }, (_, at) => at + 1), round]);
  await client.query('begin');
  const { rows: inserted } = await client.query<{ id: string }>(`${insertion} returning id`, [[1], 99]);
  const { rows: plan } = await client.query<{ 'QUERY PLAN': string }>(
    `explain (analyze, buffers, costs off, timing off)
       select id, user_id from stream_events where sequence is null and id >= ${inserted[0]?.id} order by user_id, id`,
  );
  await client.query('rollback');
  await long.query('rollback');
  const text = plan.map((line) => line['QUERY PLAN']).join('\n');
  // A thousand rows stand there still, some seventy pages of them.
  expect([Number(/shared hit=(\d+)/.exec(text)?.[1]) < 20, text]).toEqual([true, text]);
});
