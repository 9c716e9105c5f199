import { Migration } from '@mikro-orm/migrations';

/** Requests that were sent under an `Idempotency-Key` and took effect. */
export class Migration20261124120000_idempotent_requests extends Migration {
  override name = 'Migration20261124120000_idempotent_requests';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "idempotent_requests" ("id" varchar(64) not null, "fingerprint" varchar(100) not null, "commits" smallint not null, "is_answered" boolean not null, "sealed" text null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "idempotent_requests_created_index" on "idempotent_requests" ("created_at");`);
    this.addSql(`grant insert, update, delete on "idempotent_requests" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "idempotent_requests"`);
  }
}
