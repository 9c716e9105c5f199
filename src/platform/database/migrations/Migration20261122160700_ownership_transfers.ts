import { Migration } from '@mikro-orm/migrations';

/**
 * What is kept of the transfers of profiles. A file that stays with the old owner too is copied by a second row with the same bytes; and the
 * snapshot of a registration then names the copy.
 */
export class Migration20261122160700_ownership_transfers extends Migration {
  override name = 'Migration20261122160700_ownership_transfers';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "ownership_transfers" ("id" serial primary key, "profile_id" int not null, "from_user_id" int not null, "to_user_id" int not null, "actor_id" int not null, "reason" text not null, "moved" jsonb not null, "request_id" varchar(64) not null, "at" timestamptz not null);`,
    );
    this.addSql(`create index "ownership_transfers_profile_index" on "ownership_transfers" ("profile_id", "id");`);
    for (const [column, name] of [
      ['from_user_id', 'from'],
      ['to_user_id', 'to'],
      ['actor_id', 'actor'],
    ])
      this.addSql(
        `alter table "ownership_transfers" add constraint "ownership_transfers_${name}_fk" foreign key ("${column}") references "users" ("id");`,
      );
    this.addSql(`
      create trigger ownership_transfers_append_only before update or delete or truncate on "ownership_transfers"
      for each statement execute function refuse_change_of_append_only_row()`);
    this.addSql(`grant insert on "ownership_transfers" to registry_application`);

    this.addSql(`alter table "files" drop constraint "files_storage_key_unique";`);
    this.addSql(`create index "files_storage_key_index" on "files" ("storage_key");`);
    this.addSql(`grant update on "registration_documents" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql(`revoke update on "registration_documents" from registry_application`);
    this.addSql(`drop index "files_storage_key_index";`);
    this.addSql(`alter table "files" add constraint "files_storage_key_unique" unique ("storage_key");`);
    this.addSql(`drop table if exists "ownership_transfers" cascade;`);
  }
}
