import { IsolationLevel } from '@mikro-orm/postgresql';
import type { MikroORM } from '@mikro-orm/postgresql';
import { commit } from '../../src/platform/command.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { CommandContext } from '../../src/platform/context.ts';
import { openDatabase } from '../../src/platform/database/orm.ts';
import { executePrepared, sendPrepared } from '../../src/platform/database/prepared.ts';
import { cloneDatabase } from '../support/database.ts';

let database: Awaited<ReturnType<typeof cloneDatabase>>;
let orm: MikroORM;
beforeAll(async () => {
  database = await cloneDatabase();
  // One connection: whatever is lost of it is missed at once.
  orm = await openDatabase(database.url, 1);
});
afterAll(async () => {
  await orm.close(true);
  await database.drop();
});

const caller = { actor: { kind: 'process' }, requestId: 'test', ip: null } as const;
const run = <T>(command: (ctx: CommandContext) => Promise<T>) => commit({ orm, clock: systemClock }, caller, command);
const note = 'insert into attempt_counts (key, count, resets_at) values ($1, $2, now())';
const notes = async () => (await orm.em.fork().execute<{ key: string }[]>('select key from attempt_counts')).map(({ key }) => key);

test('what was only sent is there after the commit, in its order', async () => {
  await run(async ({ em }) => {
    sendPrepared(em, note, ['sent', 1]);
    expect(await executePrepared(em, 'select count from attempt_counts where key = $1', ['sent'])).toEqual([{ count: 1 }]);
  });
  expect(await notes()).toEqual(['sent']);
});

test('a statement that was only sent and is refused fails the commit with its own reason, and nothing is written', async () => {
  const refused = run(async ({ em }) => {
    sendPrepared(em, note, ['lost', 1]);
    sendPrepared(em, note, ['lost', 2]);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
  expect(await notes()).toEqual(['sent']);
});

test('what follows a statement that was only sent and is refused fails for the same reason', async () => {
  const refused = run(async ({ em }) => {
    sendPrepared(em, note, ['sent', 2]);
    await executePrepared(em, 'select $1::int', [1]);
  });
  await expect(refused).rejects.toMatchObject({ code: '23505' });
});

test('a command that carries on after a refused statement is not taken for committed', async () => {
  const careless = run(async ({ em }) => {
    sendPrepared(em, note, ['careless', 1]);
    await executePrepared(em, note, ['sent', 1]).catch(() => undefined);
  });
  await expect(careless).rejects.toThrow(/rolled back/);
  expect(await notes()).toEqual(['sent']);
});

test('a command that fails while statements are under way leaves nothing and gives its connection back', async () => {
  const failed = run(async ({ em }) => {
    sendPrepared(em, note, ['under way', 1]);
    sendPrepared(em, note, ['under way', 1]);
    throw new Error('thought better of it');
  });
  await expect(failed).rejects.toThrow('thought better of it');
  expect(await notes()).toEqual(['sent']);
});

test.each(['before', 'after'])('a connection cut %s a statement leaves the pool, and the command runs on another', async (moment) => {
  let tries = 0;
  await run(async ({ em }) => {
    tries += 1;
    if (moment === 'after') sendPrepared(em, note, [`cut ${moment}`, tries]);
    if (tries === 1) await executePrepared(em, 'select pg_terminate_backend(pg_backend_pid()) where $1', [true]);
    if (moment === 'before') sendPrepared(em, note, [`cut ${moment}`, tries]);
  });
  expect(tries).toBe(2);
  expect(await notes()).toContain(`cut ${moment}`);
});

test('a transaction has the modes that were asked for', async () => {
  const em = orm.em.fork();
  await em.begin({ readOnly: true, isolationLevel: IsolationLevel.REPEATABLE_READ });
  try {
    const [row] = await em.execute(
      `select current_setting('transaction_isolation') as isolation, current_setting('transaction_read_only') as read_only`,
    );
    expect(row).toEqual({ isolation: 'repeatable read', read_only: 'on' });
  } finally {
    await em.rollback();
  }
});
