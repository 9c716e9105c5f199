import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { systemClock } from '../../src/platform/time/clock.ts';
import { commit, query } from '../../src/platform/commands/command.ts';
import { databaseOf } from '../../src/platform/database/database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { Extensions } from '../../src/platform/extensions.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { cloneDatabase } from '../support/database.ts';

const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
const poolSize = 3;

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
let owner: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase();
  orm = await openRegistry(database.url, poolSize, { lockMs: 300, statementMs: 10_000, answerMs: 12_000 });
  owner = await openRegistry(database.ownerUrl, 2);
});
afterAll(async () => {
  await Promise.all([orm.close(true), owner.close(true)]);
  await database.drop();
});

const platform = () => ({ orm, clock: systemClock, extensions: new Extensions([]), outbox: relayOnlyOutbox });
const services = () => query(platform(), (db) => db.selectFrom('services').selectAll().where('id', '=', 1).execute());
/** On every connection of the pool in parallel. */
const everywhere = <T>(work: () => Promise<T>) => Promise.all(Array.from({ length: poolSize }, work));

test('a migration that changes the result of a planned statement breaks no read and no command', async () => {
  await everywhere(services);
  await sql`alter table services add column added_by_a_migration int`.execute(databaseOf(owner.em.fork()));
  const read = await everywhere(services);
  expect(read.map(([service]) => service?.id)).toEqual([1, 1, 1]);

  await sql`alter table services drop column added_by_a_migration`.execute(databaseOf(owner.em.fork()));
  const found = await everywhere(() =>
    commit(platform(), caller, ({ db }) => db.selectFrom('services').selectAll().where('id', '=', 1).executeTakeFirst()),
  );
  expect(found.map((service) => service?.id)).toEqual([1, 1, 1]);
});

test('a migration that changes the type of a column breaks no result, comparison or write', async () => {
  const run = (statement: string) => sql.raw(statement).execute(databaseOf(owner.em.fork()));
  await run('create table retyped (id int primary key, code int not null, size int)');
  await run('grant select, insert, update on retyped to public');
  await run('insert into retyped select n, n, n from generate_series(1, 10) n');
  const db = () => databaseOf(orm.em.fork());
  // By SQL: the table belongs to this test and has no entity.
  const read = () => sql<{ id: number; code: unknown }>`select * from retyped where code = ${'7'}`.execute(db());
  const write = () =>
    commit(platform(), caller, async (ctx) => {
      await sql`select 1 from retyped where id = ${1} for update`.execute(ctx.db);
      await sql`update retyped set code = ${'7'}, size = ${'5'} where id = ${7}`.execute(ctx.db);
      return (await sql<{ id: number }>`select id from retyped where code = ${'7'}`.execute(ctx.db)).rows;
    });
  const seen = async () => {
    expect((await everywhere(read)).map(({ rows }) => rows.map(({ id }) => id))).toEqual([[7], [7], [7]]);
    expect(await everywhere(write)).toEqual([[{ id: 7 }], [{ id: 7 }], [{ id: 7 }]]);
  };
  await seen();
  for (const type of ['bigint', 'text', 'varchar(40)', 'int']) {
    await run(`alter table retyped alter column code type ${type} using code::${type}, alter column size type ${type} using size::${type}`);
    await seen();
  }
  // An error that a new plan does not fix reaches the caller.
  await run('alter table retyped drop column code');
  await expect(read()).rejects.toMatchObject({ code: '42703' });
});

test('a locked row is awaited once, up to the limit, and the connections return to the pool', async () => {
  const holder = owner.em.fork();
  await holder.begin();
  await sql`select 1 from sandbox_clock where id = 1 for update`.execute(databaseOf(holder));
  let tries = 0;
  const waiting = everywhere(() =>
    commit(platform(), caller, async ({ db }) => {
      tries += 1;
      await db.updateTable('sandbox_clock').set({ offsetSeconds: 0 }).where('id', '=', 1).execute();
    }).catch((error: { code?: string }) => error.code),
  );
  expect(await waiting).toEqual(['55P03', '55P03', '55P03']);
  expect(tries).toBe(poolSize);
  await holder.rollback();
  await everywhere(services);
  expect(await everywhere(services)).toHaveLength(poolSize);
});
