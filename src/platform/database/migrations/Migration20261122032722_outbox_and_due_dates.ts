import { Migration } from '@mikro-orm/migrations';

export class Migration20261122032722_outbox_and_due_dates extends Migration {
  override name = 'Migration20261122032722_outbox_and_due_dates';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "cursors" ("name" varchar(100) not null, "after_id" int not null, "updated_at" timestamptz not null, primary key ("name"));`,
    );

    this.addSql(
      `create table "outbox" ("id" bigserial primary key, "process" varchar(100) not null, "request_id" varchar(64) not null, "start" jsonb null, "attempts" int not null default 0, "available_at" timestamptz not null);`,
    );
    this.addSql(`create index "outbox_available_index" on "outbox" ("available_at");`);

    this.addSql(`create index "incidents_queue_index" on "incidents" ("at") where resolved_at is null;`);

    this.addSql(`alter table "receipts" drop column "result", drop column "touched";`);

    this.addSql(`create index "captchas_session_index" on "captchas" ("session_id");`);
    this.addSql(`create index "captchas_expiry_index" on "captchas" ("expires_at") where closed_at is null;`);

    this.addSql(
      `create index "profiles_living_index" on "profiles" ("id") where (status in ('pending', 'changes') or photo_status in ('pending', 'changes'));`,
    );

    this.addSql(`drop index "documents_expiry_index";`);
    this.addSql(
      `create index "documents_living_index" on "documents" ("id") where (status in ('pending', 'approved', 'changes') and (status <> 'approved' or expires_at is not null));`,
    );
    this.addSql(
      `create index "documents_expiry_index" on "documents" ("expires_at", "id") where (expires_at is not null and status in ('pending', 'approved', 'changes') and (status <> 'changes' or decided_at is null or decided_at < (expires_at + 1)::timestamp at time zone interval '5 hours'));`,
    );

    this.addSql(`create index "password_resets_expiry_index" on "password_resets" ("expires_at") where closed_at is null;`);

    this.addSql(`drop index "invoices_open_index";`);
    this.addSql(`create index "invoices_living_index" on "invoices" ("id") where next_ask_at is not null;`);
    this.addSql(`create index "invoices_open_index" on "invoices" ("next_ask_at", "id") where next_ask_at is not null;`);

    this.addSql(`drop index "applications_live_index";`);
    this.addSql(`alter table "applications" add "due_at" timestamptz null;`);
    this.addSql(`create index "applications_due_index" on "applications" ("due_at", "id") where due_at is not null;`);
    this.addSql(
      `create index "applications_queue_index" on "applications" ("submitted_at") where status = 'submitted' and kind <> 'national_certificate';`,
    );
    this.addSql(
      `create index "applications_live_index" on "applications" ("id") where status in ('draft', 'submitted', 'changes', 'approved');`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "cursors" cascade;`);
    this.addSql(`drop table if exists "outbox" cascade;`);

    this.addSql(`drop index "applications_due_index";`);
    this.addSql(`drop index "applications_queue_index";`);
    this.addSql(`drop index "applications_live_index";`);
    this.addSql(`alter table "applications" drop column "due_at";`);
    this.addSql(`create index "applications_live_index" on "applications" ("year", "status") where status not in ('cancelled', 'closed');`);

    this.addSql(`drop index "captchas_session_index";`);
    this.addSql(`drop index "captchas_expiry_index";`);

    this.addSql(`drop index "documents_living_index";`);
    this.addSql(`drop index "documents_expiry_index";`);
    this.addSql(
      `create index "documents_expiry_index" on "documents" ("expires_at") where expires_at is not null and status in ('pending', 'approved', 'changes');`,
    );

    this.addSql(`drop index "incidents_queue_index";`);

    this.addSql(`drop index "invoices_living_index";`);
    this.addSql(`drop index "invoices_open_index";`);
    this.addSql(`create index "invoices_open_index" on "invoices" ("next_ask_at") where next_ask_at is not null;`);

    this.addSql(`drop index "password_resets_expiry_index";`);

    this.addSql(`drop index "profiles_living_index";`);

    this.addSql(`alter table "receipts" add "result" jsonb not null, add "touched" jsonb not null;`);
  }
}
