import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { systemClock } from '../../src/platform/time/clock.ts';
import { commit, query } from '../../src/platform/commands/command.ts';
import { toDomainError } from '../../src/platform/database/constraint-errors.ts';
import { DatabaseListener } from '../../src/platform/database/listener.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { Extensions } from '../../src/platform/extensions.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { cloneDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

/** PostgreSQL stops answering on open connections: every wait ends within its limit. */
const patience = { lockMs: 100, statementMs: 300, answerMs: 500 };
/** A loaded machine is slow, yet far from what waiting for ever would be. */
const slackMs = 20_000;
const poolSize = 2;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
let silentUrl: string;
let between: Server;
/** Whether the server's data reaches the service. */
let isSilent = false;
/** Whether the service's data reaches the server. */
let isHeard = true;
const open = new Set<Socket>();

beforeAll(async () => {
  database = await cloneDatabase();
  const [target, address] = [new URL(database.url), new URL(database.url)];
  between = createServer((client) => {
    const server = connect(Number(target.port), target.hostname);
    open.add(client);
    client.on('close', () => {
      open.delete(client);
      server.destroy();
    });
    for (const socket of [client, server]) socket.on('error', () => undefined);
    server.on('close', () => client.destroy());
    client.on('data', (bytes) => isHeard && server.write(bytes));
    server.on('data', (bytes) => {
      if (!isSilent) client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => between.listen(0, '127.0.0.1', resolve));
  address.port = String((between.address() as AddressInfo).port);
  silentUrl = address.href;
  orm = await openRegistry(address.href, poolSize, patience);
});
afterEach(() => {
  isSilent = false;
  isHeard = true;
});
afterAll(async () => {
  await orm.close(true);
  between.close();
  await database.drop();
});

const platform = () => ({ orm, clock: systemClock, extensions: new Extensions([]), outbox: relayOnlyOutbox });
const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
const read = () => query(platform(), (db) => sql<{ one: number }>`select ${1}::int as one`.execute(db));

async function failure(work: Promise<unknown>): Promise<{ code: string | undefined; isInTime: boolean }> {
  const start = performance.now();
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return { code: toDomainError(error)?.code, isInTime: performance.now() - start < patience.answerMs + slackMs };
}
const toldToComeAgain = { code: 'service_unavailable', isInTime: true };

const givenUp = (left: number) =>
  waitFor(
    () => open.size,
    (count) => count === left,
    'the silent connections to be closed',
  );

async function fallSilent(): Promise<void> {
  await Promise.all(Array.from({ length: poolSize }, read));
  isSilent = true;
}

/** Abandoned connections are closed, and later work gets working connections. */
async function speakAgain(): Promise<void> {
  isSilent = false;
  expect((await Promise.all(Array.from({ length: poolSize + 1 }, read))).map(({ rows }) => rows)).toEqual(
    Array.from({ length: poolSize + 1 }, () => [{ one: 1 }]),
  );
}

test('reads on open connections', async () => {
  await fallSilent();
  expect(await Promise.all([failure(read()), failure(read())])).toEqual([toldToComeAgain, toldToComeAgain]);
  await givenUp(0);
  await speakAgain();
});

test('a command, without a retry that would wait for a new connection', async () => {
  await fallSilent();
  const command = commit(platform(), caller, ({ db }) => sql`select ${1}::int`.execute(db));
  expect(await Promise.all([failure(command), failure(read())])).toEqual([toldToComeAgain, toldToComeAgain]);
  await givenUp(0);
  await speakAgain();
});

test('a command at its COMMIT', async () => {
  await read();
  const before = open.size;
  const command = commit(platform(), caller, async ({ db }) => {
    await sql`select ${1}::int`.execute(db);
    isSilent = true;
  });
  expect(await failure(command)).toEqual(toldToComeAgain);
  await givenUp(before - 1);
  await speakAgain();
});

test('the server cancels a statement that runs for too long, and its connection stays', async () => {
  await read();
  const before = open.size;
  expect(await failure(query(platform(), (db) => sql`select pg_sleep(${60}::int)`.execute(db)))).toEqual(toldToComeAgain);
  expect(open.size).toBe(before);
  const running = await query(platform(), (db) =>
    sql<{
      count: number;
    }>`select count(*)::int as count from pg_stat_activity where datname = current_database() and query like ${'%pg_sleep(%'} and state = 'active' and pid <> pg_backend_pid()`.execute(
      db,
    ),
  );
  expect(running.rows).toEqual([{ count: 0 }]);
});

test('a listener is closed in time though its connection is dead', async () => {
  const log = { warn: () => undefined, info: () => undefined };
  const listener = new DatabaseListener(silentUrl, log, { channel: 'test', onMessage: () => undefined, onReconnect: () => undefined });
  await listener.ready();
  const before = open.size;
  isHeard = false;
  isSilent = true;
  const start = performance.now();
  await listener.close();
  expect(performance.now() - start).toBeLessThan(1_000 + slackMs);
  await waitFor(
    () => open.size,
    (count) => count < before,
    'the connection to be released',
  );
});

test('a server whose Unix socket is missing, because it starts again, is unavailable', async () => {
  const [error] = await once(connect('/nonexistent/.s.PGSQL.5432'), 'connect').catch((refused: unknown) => [refused]);
  expect(toDomainError(error)?.code).toBe('service_unavailable');
});
