import { Client } from 'pg';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { createSchemaCheck } from '../../src/platform/database/check-schema.ts';
import { cloneDatabase } from '../support/database.ts';

test('the check of the schema names what an operator must do', async () => {
  const database = await cloneDatabase();
  const orm = await openRegistry(database.url, 1);
  const owner = new Client({ connectionString: database.ownerUrl });
  await owner.connect();
  try {
    const check = createSchemaCheck(orm, { acceptsNewer: false });
    await expect(check()).resolves.toBeUndefined();

    // A newer release migrates while this process serves.
    await owner.query("insert into mikro_orm_migrations (name) values ('Migration29990101000000_later')");
    await expect(check()).resolves.toBeUndefined();
    await expect(createSchemaCheck(orm, { acceptsNewer: false })()).rejects.toThrow(
      'The database was migrated by a newer release (Migration29990101000000_later). Start that release.',
    );
    await expect(createSchemaCheck(orm, { acceptsNewer: true })()).resolves.toBeUndefined();

    await owner.query("delete from mikro_orm_migrations where name like '%_baseline'");
    await expect(check()).rejects.toThrow(
      /^The database lacks Migration\d+_baseline\. Run `npm run registry -- migrate` of this release\.$/,
    );
    await owner.query('drop table mikro_orm_migrations');
    await expect(check()).rejects.toThrow('The database has no tables. Run `npm run registry -- migrate`.');
  } finally {
    await owner.end();
    await orm.close(true);
    await database.drop();
  }
});
