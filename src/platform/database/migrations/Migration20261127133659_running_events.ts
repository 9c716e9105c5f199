import { Migration } from '@mikro-orm/migrations';

/** Finds the competitions that run on a day, however long they take. */
export class Migration20261127133659_running_events extends Migration {
  override name = 'Migration20261127133659_running_events';

  override async up(): Promise<void> {
    this.addSql(`create index "calendar_entries_days_index" on "calendar_entries" using gist (tstzrange("starts_at", "ends_at", '[]'));`);
  }

  override async down(): Promise<void> {
    this.addSql(`drop index "calendar_entries_days_index";`);
  }
}
