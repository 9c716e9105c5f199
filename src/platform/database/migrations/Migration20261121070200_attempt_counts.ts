import { Migration } from '@mikro-orm/migrations';

/** Counts of logins, captchas and the like, shared by all API processes; and what the retention of idle sessions reads. */
export class Migration20261121070200_attempt_counts extends Migration {
  override up(): void {
    this.addSql(
      `create table "attempt_counts" ("key" varchar(150) not null, "count" int not null, "resets_at" timestamptz not null, primary key ("key"))`,
    );
    this.addSql('create index "attempt_counts_reset_index" on "attempt_counts" ("resets_at")');
    this.addSql('create index "sessions_last_seen_index" on "sessions" ("last_seen_at")');
  }

  override down(): void {
    this.addSql('drop table "attempt_counts"');
    this.addSql('drop index "sessions_last_seen_index"');
  }
}
