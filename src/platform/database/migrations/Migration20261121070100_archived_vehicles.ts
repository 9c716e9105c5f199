import { Migration } from '@mikro-orm/migrations';

export class Migration20261121070100_archived_vehicles extends Migration {
  override name = 'Migration20261121070100_archived_vehicles';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "archived_vehicles" ("id" serial primary key, "profile_id" int not null, "data" jsonb not null, "archived_at" timestamptz not null);`,
    );
    this.addSql(`create index "archived_vehicles_profile_index" on "archived_vehicles" ("profile_id", "id");`);

    this.addSql(
      `alter table "archived_vehicles" add constraint "archived_vehicles_profile_fk" foreign key ("profile_id") references "profiles" ("id") on delete cascade;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table if exists "archived_vehicles" cascade;`);
  }
}
