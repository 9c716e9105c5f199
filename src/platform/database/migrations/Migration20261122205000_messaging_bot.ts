import { Migration } from '@mikro-orm/migrations';

/** The links of accounts with chats of the messaging bot, and the updates of its platform that were seen. */
export class Migration20261122205000_messaging_bot extends Migration {
  override name = 'Migration20261122205000_messaging_bot';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "bot_links" ("user_id" int not null, "state" varchar(20) not null, "token_hash" varchar(64) null, "expires_at" timestamptz null, "chat_id" bigint null, "connected_at" timestamptz null, "update_id" bigint null, primary key ("user_id"));`,
    );
    this.addSql(
      `alter table "bot_links" add constraint "bot_links_user_fk" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(`alter table "bot_links" add constraint "bot_links_token_unique" unique ("token_hash");`);
    this.addSql(`alter table "bot_links" add constraint "bot_links_chat_unique" unique ("chat_id");`);
    this.addSql(`create index "bot_links_expiry_index" on "bot_links" ("expires_at") where expires_at is not null;`);
    this.addSql(`alter table "bot_links" add constraint "bot_links_state_known" check (state in ('pending', 'connected'));`);
    this.addSql(
      `alter table "bot_links" add constraint "bot_links_pending_whole" check (num_nonnulls(token_hash, expires_at) = case state when 'pending' then 2 else 0 end);`,
    );
    this.addSql(
      `alter table "bot_links" add constraint "bot_links_connected_whole" check (num_nonnulls(chat_id, connected_at, update_id) = case state when 'connected' then 3 else 0 end);`,
    );
    this.addSql(`grant insert, update, delete on "bot_links" to registry_application`);

    this.addSql(`create table "bot_updates" ("id" bigint not null, "seen_at" timestamptz not null, primary key ("id"));`);
    this.addSql(`create index "bot_updates_seen_index" on "bot_updates" ("seen_at");`);
    this.addSql(`grant insert, delete on "bot_updates" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "bot_updates"`);
    this.addSql(`drop table "bot_links"`);
  }
}
