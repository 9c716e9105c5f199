import { Migration } from '@mikro-orm/migrations';

/** A sweep that goes in the order of a text goes on where the one before ended, too. */
export class Migration20261122190000_text_cursors extends Migration {
  override name = 'Migration20261122190000_text_cursors';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cursors" add "after_key" varchar(200) null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cursors" drop column "after_key";`);
  }
}
