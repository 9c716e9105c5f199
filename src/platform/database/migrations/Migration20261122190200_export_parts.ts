import { Migration } from '@mikro-orm/migrations';

/** What was made of an export's records is kept until its file is there, so that a try that was cut off is taken up. */
export class Migration20261122190200_export_parts extends Migration {
  override name = 'Migration20261122190200_export_parts';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "national_export_parts" ("file_id" uuid not null, "export_id" int not null, "first_position" int not null, "last_position" int not null, "sizes" jsonb not null, primary key ("file_id"));`,
    );
    this.addSql(`create index "national_export_parts_export_index" on "national_export_parts" ("export_id", "first_position");`);
    this.addSql(
      `alter table "national_export_parts" add constraint "national_export_parts_file_fk" foreign key ("file_id") references "files" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "national_export_parts" add constraint "national_export_parts_export_fk" foreign key ("export_id") references "national_exports" ("id") on delete cascade;`,
    );
    this.addSql('grant insert, delete on "national_export_parts" to registry_application');
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "national_export_parts" cascade;`);
  }
}
