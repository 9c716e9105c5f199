import { type EntityManager, IsolationLevel, type MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { ServiceEntity } from '../../src/areas/catalog/index.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { commit } from '../../src/platform/commands/command.ts';
import type { CommandContext } from '../../src/platform/commands/context.ts';
import { type Database, databaseOf } from '../../src/platform/database/database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { Extensions } from '../../src/platform/extensions.ts';
import { relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase();
  // One connection, so that a leak fails the next statement.
  orm = await openRegistry(database.url, 1);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
const platform = () => ({ orm, clock: systemClock, extensions: new Extensions([]), outbox: relayOnlyOutbox });
const run = <T>(command: (ctx: CommandContext) => Promise<T>) => commit(platform(), caller, command);
const note = (db: Database, key: string, count = 1) =>
  db.insertInto('attempt_counts').values({ key, count, resetsAt: new Date() }).execute();
const notes = async () =>
  (await databaseOf(orm.em.fork()).selectFrom('attempt_counts').select('key').orderBy('key').execute()).map(({ key }) => key);

test('a command sees its own writes, and the COMMIT stores them', async () => {
  await run(async ({ db }) => {
    await note(db, 'written');
    expect(await db.selectFrom('attempt_counts').select('count').where('key', '=', 'written').execute()).toEqual([{ count: 1 }]);
  });
  expect(await notes()).toEqual(['written']);
});

test('a refused statement fails the command with its own error, and nothing is written', async () => {
  const refused = run(async ({ db }) => {
    await note(db, 'lost', 1);
    await note(db, 'lost', 2);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual(['written']);
});

test('a command that continues after a refused statement is not committed', async () => {
  const careless = run(async ({ db }) => {
    await note(db, 'careless');
    await note(db, 'written').catch(() => undefined);
  });
  await expect(careless).rejects.toThrow(/aborted|rolled back/);
  expect(await notes()).toEqual(['written']);
});

test('a COMMIT that the server answers with ROLLBACK is an error', async () => {
  const em = orm.em.fork();
  await em.begin();
  await note(databaseOf(em), 'written').catch(() => undefined);
  await expect(em.commit()).rejects.toThrow(/rolled back/);
  await em.rollback();
  expect(await notes()).toEqual(['written']);
});

test('a command that fails with statements in progress writes nothing and returns its connection', async () => {
  const failed = run(async ({ db }) => {
    const underWay = [note(db, 'under way'), note(db, 'under way')];
    void Promise.allSettled(underWay);
    throw new Error('rolled back by the test');
  });
  await expect(failed).rejects.toThrow('rolled back by the test');
  expect(await notes()).toEqual(['written']);
});

test.each(['before', 'after'])('a connection lost %s a statement leaves the pool, and the command runs on another', async (moment) => {
  let tries = 0;
  await run(async ({ db }) => {
    tries += 1;
    if (moment === 'after') await note(db, `cut ${moment}`, tries);
    if (tries === 1) await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);
    if (moment === 'before') await note(db, `cut ${moment}`, tries);
  });
  expect(tries).toBe(2);
  expect(await notes()).toContain(`cut ${moment}`);
});

test('a connection lost during a read outside a transaction leaves the pool too', async () => {
  const db = databaseOf(orm.em.fork());
  await expect(sql`select pg_terminate_backend(pg_backend_pid())`.execute(db)).rejects.toMatchObject({ code: '57P01' });
  expect(await notes()).toContain('written');
});

test('a transaction has the requested modes', async () => {
  const em = orm.em.fork();
  await em.begin({ readOnly: true, isolationLevel: IsolationLevel.REPEATABLE_READ });
  try {
    const { rows } =
      await sql`select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as read_only`.execute(
        databaseOf(em),
      );
    expect(rows).toEqual([{ isolation: 'repeatable read', readOnly: 'on' }]);
  } finally {
    await em.rollback();
  }
});

test('each connection plans a statement with parameters once', async () => {
  const planned = await run(async ({ db }) => {
    for (const key of ['a', 'b', 'c']) await db.selectFrom('attempt_counts').select('resetsAt').where('key', '=', key).execute();
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from pg_prepared_statements where statement like 'select "resets_at" from "attempt_counts"%'`.execute(
      db,
    );
    return rows;
  });
  expect(planned).toEqual([{ count: 1 }]);
});

describe('in the transaction of a command', () => {
  const inTransaction = (work: (em: EntityManager, db: Database) => Promise<void>) =>
    orm.em.fork().transactional((em) => work(em, databaseOf(em)));

  test("the ORM's own Kysely sees the writes", async () => {
    await inTransaction(async (em, db) => {
      await note(db, 'by kysely');
      const found = await em
        .getKysely<{ attempt_counts: { key: string } }>()
        .selectFrom('attempt_counts')
        .select('key')
        .where('key', '=', 'by kysely')
        .execute();
      expect(found).toEqual([{ key: 'by kysely' }]);
    });
  });

  test('a cursor reads rows in batches, by the ORM and by queries, and may stop early', async () => {
    await inTransaction(async (em, db) => {
      const streamed: number[] = [];
      for await (const service of em.stream(ServiceEntity, { orderBy: { id: 'asc' } })) streamed.push(service.id);
      const queried: number[] = [];
      for await (const { id } of db.selectFrom('services').select('id').orderBy('id').stream(2)) queried.push(id);
      expect(queried.length).toBeGreaterThan(3);
      expect(streamed).toEqual(queried);
      for await (const _ of db.selectFrom('services').select('id').stream(2)) break;
      await note(db, 'after a stream');
    });
    expect(await notes()).toContain('after a stream');
  });

  test('a part can fail and roll back to its savepoint', async () => {
    await inTransaction(async (em, db) => {
      await note(db, 'before the savepoint');
      const part = em.transactional(async (nested) => {
        await note(databaseOf(nested), 'in the savepoint');
        throw new Error('not this part');
      });
      await expect(part).rejects.toThrow('not this part');
      await note(db, 'after the savepoint');
    });
    const written = await notes();
    expect(written).toEqual(expect.arrayContaining(['before the savepoint', 'after the savepoint']));
    expect(written).not.toContain('in the savepoint');
  });
});

test('a cursor reads rows in batches outside a transaction too', async () => {
  const ids: number[] = [];
  for await (const { id } of databaseOf(orm.em.fork()).selectFrom('services').select('id').stream(2)) ids.push(id);
  expect(ids.length).toBeGreaterThan(3);
  for await (const _ of databaseOf(orm.em.fork()).selectFrom('services').select('id').stream(2)) break;
  expect(await notes()).toContain('written');
});
