import { Migration } from '@mikro-orm/migrations';

export class Migration20261122064000_payment_queries extends Migration {
  override name = 'Migration20261122064000_payment_queries';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "sandbox_clock_moves" ("id" serial primary key, "at" timestamptz not null, "offset_seconds" bigint not null);`,
    );
    this.addSql(`create index "sandbox_clock_moves_at_index" on "sandbox_clock_moves" ("at", "offset_seconds");`);
    this.addSql('grant select, insert on "sandbox_clock_moves" to registry_application');
    this.addSql('grant usage, select on sequence "sandbox_clock_moves_id_seq" to registry_application');
    // A clock that was moved before moves were kept: when, nobody knows any more.
    this.addSql(
      `insert into "sandbox_clock_moves" ("at", "offset_seconds") select timestamptz 'epoch', "offset_seconds" from "sandbox_clock" where "offset_seconds" > 0;`,
    );

    this.addSql(`alter table "invoices" add "last_answered_at" timestamptz null, add "hinted_at" timestamptz null;`);
    this.addSql(
      `create index "invoices_owner_open_index" on "invoices" ("owner_id", "expires_at") where status in ('created', 'pending');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "invoices_owner_open_index";`);
    this.addSql(`alter table "invoices" drop column "last_answered_at", drop column "hinted_at";`);

    this.addSql(`drop table if exists "sandbox_clock_moves" cascade;`);
  }
}
