import { Migration } from '@mikro-orm/migrations';

/** A sweep goes on where the one before ended, in the order of the due dates. */
export class Migration20261122100957_sweep_cursors extends Migration {
  override name = 'Migration20261122100957_sweep_cursors';

  override up(): void | Promise<void> {
    this.addSql(`alter table "cursors" add "after_at" timestamptz null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "cursors" drop column "after_at";`);
  }
}
