import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import pino from 'pino';
import { systemClock } from '../../src/platform/time/clock.ts';
import { commit } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { Extensions } from '../../src/platform/extensions.ts';
import {
  type Deliver,
  DeliveringOutbox,
  type Outbox,
  readOutboxState,
  relayOnlyOutbox,
  type WakeUp,
} from '../../src/platform/workflows/outbox.ts';
import { cloneDatabase } from '../support/database.ts';
import { waitFor } from '../support/wait-for.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
const opened: Outbox[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  orm = await openRegistry(database.url, 6);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((outbox) => outbox.close()));
  await db().deleteFrom('outbox').execute();
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const db = () => databaseOf(orm.em.fork());
const caller = { actor: { kind: 'process' }, requestId: 'request-of-outbox', ip: null } as const;
const platformWith = (outbox: Outbox) => ({ orm, clock: systemClock, extensions: new Extensions([]), outbox });
const left = () => db().selectFrom('outbox').select(['process', 'attempts']).orderBy('id').execute();
/** Simulates a committing process that died long ago. */
const age = () =>
  db()
    .updateTable('outbox')
    .set({ availableAt: sql<Date>`now() - interval '1 second'`, dueAt: sql<Date>`now() - interval '1 hour'` })
    .execute();

function outboxWith(send: Deliver): DeliveringOutbox {
  const outbox = new DeliveringOutbox(orm, send, pino({ enabled: false }));
  opened.push(outbox);
  return outbox;
}

test('a command’s wake-ups are delivered after its COMMIT, with its request, once for each process, and deleted', async () => {
  const sent: WakeUp[] = [];
  const outbox = outboxWith(async (wakeUp) => void sent.push(wakeUp));
  await commit(platformWith(outbox), caller, async ({ wake }) => {
    wake('document/1');
    wake('application/2');
    wake('document/1');
    expect(sent).toEqual([]);
  });
  await waitFor(left, (rows) => rows.length === 0 && sent.length === 2, 'the rows to be removed');
  expect(sent.map(({ process, requestId }) => `${process} ${requestId}`).toSorted()).toEqual([
    'application/2 request-of-outbox',
    'document/1 request-of-outbox',
  ]);
});

test('the committing process delivers ten wake-ups at once, and merges those of one process that wait', async () => {
  const sent: string[] = [];
  let [underWay, most] = [0, 0];
  const outbox = outboxWith(async ({ process: ref }) => {
    sent.push(ref);
    underWay += 1;
    most = Math.max(most, underWay);
    await new Promise((resolve) => setTimeout(resolve, 20));
    underWay -= 1;
  });
  await commit(platformWith(outbox), caller, async ({ wake }) => {
    for (let id = 1; id <= 200; id += 1) wake(`application/${id}`);
  });
  for (let nth = 0; nth < 50; nth += 1) await commit(platformWith(outbox), caller, async ({ wake }) => wake('profile/1'));
  await waitFor(left, (rows) => rows.length === 0, 'the rows to be removed');
  expect([most, new Set(sent).size]).toEqual([10, 201]);
  expect(sent.filter((ref) => ref === 'profile/1').length).toBeLessThan(50);
});

test('a command does not wake its own process', async () => {
  const sent: WakeUp[] = [];
  const outbox = outboxWith(async (wakeUp) => void sent.push(wakeUp));
  await commit(platformWith(outbox), caller, async ({ wake }) => wake('document/1'), { own: 'document/1' });
  expect(await left()).toEqual([]);
  expect(sent).toEqual([]);
});

test('a rolled back command wakes no process', async () => {
  const sent: WakeUp[] = [];
  const outbox = outboxWith(async (wakeUp) => void sent.push(wakeUp));
  const failed = commit(platformWith(outbox), caller, async ({ wake }) => {
    wake('document/1');
    throw new Error('rolled back by the test');
  });
  await expect(failed).rejects.toThrow('rolled back by the test');
  expect(await left()).toEqual([]);
  expect(sent).toEqual([]);
});

test('a relay delivers rows that remain after a crash of the committing process or an outage of Temporal', async () => {
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/1'));
  const away = outboxWith(async () => {
    throw new Error('away');
  });
  await commit(platformWith(away), caller, async ({ wake }) => wake('document/2'));
  await away.close();
  expect(await left()).toHaveLength(2);

  const sent: WakeUp[] = [];
  await age();
  outboxWith(async (wakeUp) => void sent.push(wakeUp)).startRelay();
  await waitFor(left, (rows) => rows.length === 0, 'the relay to deliver what was left');
  expect(sent.map(({ process, requestId }) => `${process} ${requestId}`).toSorted()).toEqual([
    'document/1 request-of-outbox',
    'document/2 request-of-outbox',
  ]);
});

test('a relay skips rows that are being delivered or that another relay has claimed', async () => {
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => (letGo = resolve));
  const sent: string[] = [];
  const first = outboxWith(async ({ process }) => {
    sent.push(`first ${process}`);
    await isHeld;
  });
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/1'));
  await age();
  first.startRelay();
  await waitFor(
    () => sent,
    (all) => all.length === 1,
    'the first relay to take the row',
  );
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/2'));
  const second = outboxWith(async ({ process }) => void sent.push(`second ${process}`));
  second.startRelay();
  // A third row, old enough, proves that the second relay has read the table.
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/3'));
  await db()
    .updateTable('outbox')
    .set({ availableAt: sql<Date>`now()` })
    .where('process', '=', 'document/3')
    .execute();
  await waitFor(
    () => sent,
    (all) => all.includes('second document/3'),
    'the second relay to deliver the remaining rows',
  );
  letGo();
  // A row is deleted shortly after its message was sent.
  await Promise.all([first.close(), second.close()]);
  expect(sent).toEqual(['first document/1', 'second document/3']);
  expect((await left()).map(({ process }) => process)).toEqual(['document/2']);
});

test('an undeliverable row waits longer after each attempt and does not block others', async () => {
  const sent: string[] = [];
  const relay = outboxWith(async ({ process }) => {
    if (process === 'document/1') throw new Error('cannot be delivered');
    sent.push(process);
  });
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/1'));
  await commit(platformWith(relayOnlyOutbox), caller, async ({ wake }) => wake('document/2'));
  await age();
  relay.startRelay();
  await waitFor(
    () => sent,
    (all) => all.length === 1,
    'the other to be delivered',
  );
  const rows = await waitFor(left, (all) => all.length === 1, 'the delivered row to be removed');
  expect(rows).toEqual([{ process: 'document/1', attempts: 1 }]);
  const [row] = await db()
    .selectFrom('outbox')
    .select(sql<number>`extract(epoch from available_at - now())::int`.as('seconds'))
    .execute();
  expect(row?.seconds).toBeGreaterThan(5);
  const state = await readOutboxState(db(), 10);
  expect(state.rows).toBe(1);
  expect(state.oldestSeconds).toBeGreaterThanOrEqual(3_600);
});

test('the relay reads due rows by its index, however many wait', async () => {
  await sql`insert into outbox (process, request_id, attempts, available_at)
    select 'document/' || n, 'r', 0, now() + interval '1 hour' from generate_series(1, 5000) n`.execute(db());
  await sql`analyze outbox`.execute(databaseOf((await ownerOrm()).em.fork()));
  const { rows } = await sql<{ 'QUERY PLAN': string }>`
    explain select id from outbox where available_at <= now() order by available_at limit 100 for update skip locked`.execute(db());
  expect(JSON.stringify(rows)).toContain('outbox_available_index');
});

async function ownerOrm(): Promise<MikroORM> {
  const owner = await openRegistry(database.ownerUrl, 1);
  opened.push({ deliver: () => undefined, startRelay: () => undefined, close: () => owner.close(true) });
  return owner;
}
