import { Migration } from '@mikro-orm/migrations';

/** How far the making of an export's file has come: one that goes on is not overdue, however long it takes. */
export class Migration20261122190100_export_progress extends Migration {
  override name = 'Migration20261122190100_export_progress';

  override up(): void | Promise<void> {
    this.addSql(`alter table "national_exports" add "progress" int not null default 0;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "national_exports" drop column "progress";`);
  }
}
