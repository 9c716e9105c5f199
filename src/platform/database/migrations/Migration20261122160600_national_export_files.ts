import { Migration } from '@mikro-orm/migrations';

/** What the registry makes itself becomes a file as well; the address of an export's file is settled with its request. */
export class Migration20261122160600_national_export_files extends Migration {
  override name = 'Migration20261122160600_national_export_files';

  override up(): void | Promise<void> {
    this.addSql(`alter table "files" alter column "mime" type varchar(100);`);
    this.addSql(`alter table "files" drop constraint "files_size_range";`);
    this.addSql(
      `alter table "files" add constraint "files_size_range" check (size between 1 and case when mime in ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/zip') then 524288000 else 20971520 end);`,
    );

    this.addSql(`alter table "national_exports" drop constraint "national_exports_file_fk";`);
    this.addSql(`drop index "national_exports_file_index";`);
    this.addSql(`alter table "national_exports" alter column "file_id" set not null;`);
    this.addSql(`alter table "national_exports" add constraint "national_exports_file_unique" unique ("file_id");`);
    this.addSql(`alter table "national_export_records" add column "problems" text[] null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "national_export_records" drop column "problems";`);
    this.addSql(`alter table "national_exports" drop constraint "national_exports_file_unique";`);
    this.addSql(`alter table "national_exports" alter column "file_id" drop not null;`);
    this.addSql(`create index "national_exports_file_index" on "national_exports" ("file_id") where file_id is not null;`);
    this.addSql(
      `alter table "national_exports" add constraint "national_exports_file_fk" foreign key ("file_id") references "files" ("id") on delete set null;`,
    );

    this.addSql(`alter table "files" drop constraint "files_size_range";`);
    this.addSql(`alter table "files" add constraint "files_size_range" check (size between 1 and 20971520);`);
    this.addSql(`alter table "files" alter column "mime" type varchar(40);`);
  }
}
