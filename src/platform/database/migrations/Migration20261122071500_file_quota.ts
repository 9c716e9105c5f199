import { Migration } from '@mikro-orm/migrations';

/** What an account keeps is counted at each upload. */
export class Migration20261122071500_file_quota extends Migration {
  override name = 'Migration20261122071500_file_quota';

  override up(): void | Promise<void> {
    this.addSql(`create index "files_kept_index" on "files" ("owner_id", "size") where purged_at is null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "files_kept_index";`);
  }
}
