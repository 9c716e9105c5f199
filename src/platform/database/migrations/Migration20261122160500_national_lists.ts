import { Migration } from '@mikro-orm/migrations';

/** National certificates in the administrators' personal lists, the files made of them, and the marks of what was exported. */
export class Migration20261122160500_national_lists extends Migration {
  override name = 'Migration20261122160500_national_lists';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "national_list_entries" ("administrator_id" int not null, "list" varchar(20) not null, "application_id" int not null, "added_at" timestamptz not null, primary key ("administrator_id", "list", "application_id"));`,
    );
    this.addSql(`create index "national_list_entries_application_index" on "national_list_entries" ("application_id");`);

    this.addSql(
      `create table "national_exports" ("id" serial primary key, "administrator_id" int not null, "list" varchar(20) not null, "status" varchar(20) not null default 'pending', "count" int not null, "file_id" uuid null, "failure" varchar(60) null, "request_id" varchar(64) not null, "requested_at" timestamptz not null, "finished_at" timestamptz null, "due_at" timestamptz null);`,
    );
    this.addSql(`create index "national_exports_administrator_index" on "national_exports" ("administrator_id", "id");`);
    this.addSql(`create index "national_exports_file_index" on "national_exports" ("file_id") where file_id is not null;`);
    this.addSql(`create index "national_exports_due_index" on "national_exports" ("due_at", "id") where due_at is not null;`);
    this.addSql(`create index "national_exports_live_index" on "national_exports" ("id") where due_at is not null;`);

    this.addSql(
      `create table "national_export_records" ("export_id" int not null, "application_id" int not null, "list" varchar(20) not null, "position" int not null, "exported_at" timestamptz null, primary key ("export_id", "application_id"));`,
    );
    this.addSql(`create index "national_export_records_application_index" on "national_export_records" ("application_id");`);
    this.addSql(
      `create index "national_export_records_marks_index" on "national_export_records" ("list", "application_id") where exported_at is not null;`,
    );

    this.addSql(
      `alter table "national_list_entries" add constraint "national_list_entries_administrator_fk" foreign key ("administrator_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "national_list_entries" add constraint "national_list_entries_application_fk" foreign key ("application_id") references "applications" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "national_list_entries" add constraint "national_list_entries_list_known" check (list in ('review', 'insurance', 'print'));`,
    );

    this.addSql(
      `alter table "national_exports" add constraint "national_exports_administrator_fk" foreign key ("administrator_id") references "users" ("id");`,
    );
    this.addSql(
      `alter table "national_exports" add constraint "national_exports_file_fk" foreign key ("file_id") references "files" ("id") on delete set null;`,
    );
    this.addSql(`alter table "national_exports" add constraint "national_exports_list_known" check (list in ('insurance', 'print'));`);
    this.addSql(
      `alter table "national_exports" add constraint "national_exports_status_known" check (status in ('pending', 'ready', 'failed'));`,
    );
    this.addSql(
      `alter table "national_exports" add constraint "national_exports_failure_of_failed" check ((failure is not null) = (status = 'failed'));`,
    );

    this.addSql(
      `alter table "national_export_records" add constraint "national_export_records_export_fk" foreign key ("export_id") references "national_exports" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "national_export_records" add constraint "national_export_records_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "national_export_records" add constraint "national_export_records_list_known" check (list in ('insurance', 'print'));`,
    );

    this.addSql('grant insert, delete on "national_list_entries" to registry_application');
    this.addSql('grant insert, update on "national_exports" to registry_application');
    this.addSql('grant insert, update on "national_export_records" to registry_application');
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "national_export_records" cascade;`);
    this.addSql(`drop table if exists "national_exports" cascade;`);
    this.addSql(`drop table if exists "national_list_entries" cascade;`);
  }
}
