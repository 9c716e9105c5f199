import { Migration } from '@mikro-orm/migrations';
import { readFileSync } from 'node:fs';

/** Creates the schema of a new database: the entities' tables, then functions, triggers, grants and first rows. */
export class Migration20261128000000_baseline extends Migration {
  override name = 'Migration20261128000000_baseline';

  override async up(): Promise<void> {
    const [former] = await this.execute('select name from mikro_orm_migrations limit 1');
    if (former)
      throw new Error(
        `An earlier unreleased version (${String(former['name'])}) created this database. Migrate an empty database instead.`,
      );
    for (const file of ['tables.sql', 'guards.sql']) this.addSql(readFileSync(new URL(file, import.meta.url), 'utf8'));
  }
}
