import { Migration } from '@mikro-orm/migrations';

/** Closed captchas and recovery links are found by their age, so that they go in batches and not only with their sessions. */
export class Migration20261122071516_closed_secrets extends Migration {
  override name = 'Migration20261122071516_closed_secrets';

  override up(): void | Promise<void> {
    this.addSql(`create index "captchas_closed_index" on "captchas" ("expires_at") where closed_at is not null;`);

    this.addSql(`create index "password_resets_closed_index" on "password_resets" ("expires_at") where closed_at is not null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "captchas_closed_index";`);

    this.addSql(`drop index "password_resets_closed_index";`);
  }
}
