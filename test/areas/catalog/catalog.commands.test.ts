import { sql } from 'kysely';
import { takeTariff } from '../../../src/areas/catalog/index.ts';
import { setBaseIndex } from '../../../src/areas/catalog/set-base-index.ts';
import { commit } from '../../../src/platform/commands/command.ts';
import { databaseOf } from '../../../src/platform/database/database.ts';
import { yearOf } from '../../../src/platform/time/date-time.ts';
import type { Platform } from '../../../src/platform/platform.ts';
import { relayOnlyOutbox } from '../../../src/platform/workflows/outbox.ts';
import { fixturesIn, type Member } from '../../support/factories.ts';
import { startTestPlatform } from '../../support/test-platform.ts';
import { waitFor } from '../../support/wait-for.ts';

/** Races between a change of the base index and a price that uses it: the row lock serializes them (CAT-4). */

let platform: Platform;
let close: () => Promise<void>;
let administrator: Member;
let year = 2040;

beforeAll(async () => {
  const started = await startTestPlatform();
  platform = {
    ...started.platform,
    outbox: relayOnlyOutbox,
    clock: { sandbox: false, now: async () => new Date(`${year}-06-15T12:00:00+05:00`) },
  };
  close = started.close;
  administrator = await fixturesIn(platform).administrator();
});
afterAll(() => close());
beforeEach(async () => {
  year += 1;
  await set(400_000);
});

const set = (amountMinor: number) => commit(platform, administrator.caller, (ctx) => setBaseIndex(ctx, year, amountMinor));
const take = () => commit(platform, administrator.caller, (ctx) => takeTariff(ctx, 1, yearOf(ctx.now)));
const standing = () =>
  databaseOf(platform.orm.em.fork())
    .selectFrom('base_indexes')
    .select(['amountMinor', 'inUse'])
    .where('year', '=', year)
    .executeTakeFirstOrThrow();
const inUse = (outcome: unknown) =>
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'base_index_in_use', details: { year } } });

async function someoneWaits(): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await waitFor(
    async () => (await waiting.execute(databaseOf(platform.orm.em.fork()))).rows[0]?.count ?? 0,
    (count) => count > 0,
    'the other transaction to wait for the row',
  );
}

test('CAT-4: an index in use refuses another amount and accepts the same one', async () => {
  expect((await take()).mrpMinor).toBe(400_000);
  inUse((await Promise.allSettled([set(500_000)]))[0]);
  await set(400_000);
  expect(await standing()).toEqual({ amountMinor: 400_000, inUse: true });
});

test('a change waits for a concurrent price and is then refused', async () => {
  const { tariff, change } = await commit(platform, administrator.caller, async (ctx) => {
    const taken = await takeTariff(ctx, 1, yearOf(ctx.now));
    const waiting = Promise.allSettled([set(500_000)]);
    await someoneWaits();
    return { tariff: taken, change: waiting };
  });
  inUse((await change)[0]);
  expect([tariff.mrpMinor, await standing()]).toEqual([400_000, { amountMinor: 400_000, inUse: true }]);
});

test('a price waits for a concurrent change and uses the new amount', async () => {
  const taken = await commit(platform, administrator.caller, async (ctx) => {
    await setBaseIndex(ctx, year, 500_000);
    const waiting = take();
    await someoneWaits();
    return { waiting };
  });
  expect(await taken.waiting).toMatchObject({ mrpMinor: 500_000 });
  expect(await standing()).toEqual({ amountMinor: 500_000, inUse: true });
});

test('concurrent prices and changes: every price uses the final amount', async () => {
  const [prices, changes] = await Promise.all([
    Promise.all(Array.from({ length: 6 }, take)),
    Promise.allSettled([410_000, 420_000, 430_000, 440_000].map(set)),
  ]);
  const { amountMinor, inUse: isInUse } = await standing();
  expect(isInUse).toBe(true);
  expect(new Set(prices.map(({ mrpMinor }) => mrpMinor))).toEqual(new Set([amountMinor]));
  for (const outcome of changes.filter(({ status }) => status === 'rejected')) inUse(outcome);
});
