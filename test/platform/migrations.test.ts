import { migrateDatabase } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/orm.ts';
import { cloneDatabase } from '../support/database.ts';

describe('the migrations', () => {
  test('hold every table as the entities say', async () => {
    const database = await cloneDatabase();
    const orm = await openDatabase(database.ownerUrl, 2);
    try {
      expect(await orm.migrator.checkSchema()).toBe(false);
    } finally {
      await orm.close(true);
      await database.drop();
    }
  });

  test('can be run again, and side by side, without harm', async () => {
    const database = await cloneDatabase();
    const orms = await Promise.all([openDatabase(database.ownerUrl, 3), openDatabase(database.ownerUrl, 3)]);
    try {
      await expect(Promise.all(orms.map((orm) => migrateDatabase(orm, 'registry_app')))).resolves.toEqual([[], []]);
    } finally {
      await Promise.all(orms.map((orm) => orm.close(true)));
      await database.drop();
    }
  });

  test('leave the application no way to change what is append-only, and the owner none either', async () => {
    const database = await cloneDatabase();
    const [application, owner] = await Promise.all([openDatabase(database.url, 2), openDatabase(database.ownerUrl, 2)]);
    try {
      for (const table of ['ledger_entries', 'ledger_transactions', 'audit_events', 'bank_answers', 'review_decisions']) {
        await expect(application.em.fork().execute(`update ${table} set id = id`)).rejects.toThrow(/permission denied/);
        await expect(application.em.fork().execute(`delete from ${table}`)).rejects.toThrow(/permission denied/);
        await expect(owner.em.fork().execute(`delete from ${table}`)).rejects.toThrow(/append-only/);
      }
    } finally {
      await Promise.all([application.close(true), owner.close(true)]);
      await database.drop();
    }
  });

  test('refuse a ledger transaction that does not sum to zero, at commit', async () => {
    const database = await cloneDatabase();
    const orm = await openDatabase(database.url, 2);
    try {
      const unbalanced = orm.em.fork().transactional(async (em) => {
        await em.execute(
          `insert into ledger_transactions (type, reference, flags, request_id, at) values ('correction', 'x', '{}', 'request', now())`,
        );
        await em.execute(
          `insert into ledger_entries (transaction_id, account, amount_minor) select id, 'bank:clearing', 100 from ledger_transactions`,
        );
      });
      await expect(unbalanced).rejects.toThrow(/does not sum to zero/);
    } finally {
      await orm.close(true);
      await database.drop();
    }
  });
});
