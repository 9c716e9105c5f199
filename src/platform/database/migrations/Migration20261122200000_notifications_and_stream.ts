import { Migration } from '@mikro-orm/migrations';

/**
 * Notifications keep the facts and get their words when they are read, in the reader's language. Beside them: what each person wants by mail and
 * by the bot, what is to go out, and the live stream.
 *
 * An event of a stream gets its number at the commit, under a lock of the account. A number taken earlier could become visible after a greater
 * one, and whoever had read up to the greater would never see it. Since the trigger runs last, the lock is held for no longer than the commit
 * takes; since accounts are taken in the order of their ids, two transactions never wait for each other. The listening processes are told by the
 * same transaction, so of what is rolled back nobody hears.
 */
export class Migration20261122200000_notifications_and_stream extends Migration {
  override name = 'Migration20261122200000_notifications_and_stream';

  override up(): void | Promise<void> {
    this.addSql(`alter table "users" add "language" varchar(2) not null default 'ru';`);
    this.addSql(`alter table "users" add constraint "users_language_known" check (language in ('ru', 'kk', 'en'));`);

    // The default serves the running release, which writes words and no facts.
    this.addSql(`alter table "notifications" add "facts" jsonb not null default '{}';`);
    this.addSql(`alter table "notifications" alter column "title" drop not null;`);
    this.addSql(`alter table "notifications" alter column "text" drop not null;`);
    this.addSql(`create index "notifications_unread_index" on "notifications" ("user_id", "id") where read_at is null;`);
    this.addSql(`grant update on "notifications" to registry_application`);

    this.addSql(
      `create table "notification_preferences" ("user_id" int not null, "type" varchar(60) not null, "mail" boolean not null, "bot" boolean not null, primary key ("user_id", "type"));`,
    );
    this.addSql(
      `alter table "notification_preferences" add constraint "notification_preferences_user_fk" foreign key ("user_id") references "users" ("id");`,
    );
    this.addSql(`grant insert, update on "notification_preferences" to registry_application`);

    this.addSql(
      `create table "notification_deliveries" ("id" bigserial primary key, "notification_id" int not null, "user_id" int not null, "channel" varchar(10) not null, "created_at" timestamptz not null);`,
    );
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_once" unique ("notification_id", "channel");`,
    );
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_notification_fk" foreign key ("notification_id") references "notifications" ("id");`,
    );
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_user_fk" foreign key ("user_id") references "users" ("id");`,
    );
    this.addSql(`create index "notification_deliveries_user_index" on "notification_deliveries" ("user_id", "id");`);
    this.addSql(
      `alter table "notification_deliveries" add constraint "notification_deliveries_channel_known" check (channel in ('mail', 'bot'));`,
    );
    this.addSql(`grant insert, delete on "notification_deliveries" to registry_application`);
    this.addSql(`grant usage, select on sequence "notification_deliveries_id_seq" to registry_application`);

    this.addSql(
      `create table "stream_events" ("id" bigserial primary key, "user_id" int not null, "sequence" bigint null, "kind" varchar(20) not null, "subject_id" bigint not null, "created_at" timestamptz not null);`,
    );
    this.addSql(`alter table "stream_events" add constraint "stream_events_sequence_unique" unique ("user_id", "sequence");`);
    this.addSql(`alter table "stream_events" add constraint "stream_events_user_fk" foreign key ("user_id") references "users" ("id");`);
    this.addSql(`create index "stream_events_unnumbered_index" on "stream_events" ("user_id", "id") where sequence is null;`);
    this.addSql(`create index "stream_events_created_index" on "stream_events" ("created_at");`);
    this.addSql(`alter table "stream_events" add constraint "stream_events_kind_known" check (kind in ('notification', 'message'));`);
    this.addSql(`grant insert, update, delete on "stream_events" to registry_application`);
    this.addSql(`grant usage, select on sequence "stream_events_id_seq" to registry_application`);

    this.addSql(`create table "streams" ("user_id" int not null, "last_sequence" bigint not null default 0, primary key ("user_id"));`);
    this.addSql(
      `alter table "streams" add constraint "streams_user_fk" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(`grant insert, update on "streams" to registry_application`);

    this.addSql(`create sequence "stream_sequence"`);
    this.addSql(`grant usage on sequence "stream_sequence" to registry_application`);
    // The number is taken once the account is locked: the update of a row that is there evaluates its values under the lock.
    this.addSql(`
      create function number_stream_events() returns trigger language plpgsql as $$
      declare
        event record;
        number bigint;
      begin
        for event in select id, user_id from stream_events where sequence is null order by user_id, id loop
          insert into streams (user_id, last_sequence) values (event.user_id, nextval('stream_sequence'))
            on conflict (user_id) do update set last_sequence = nextval('stream_sequence')
            returning last_sequence into number;
          update stream_events set sequence = number where id = event.id;
          perform pg_notify('stream', event.user_id::text);
        end loop;
        return null;
      end $$`);
    this.addSql(`
      create constraint trigger stream_events_numbered after insert on "stream_events" deferrable initially deferred
      for each row execute function number_stream_events()`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "stream_events"`);
    this.addSql(`drop function number_stream_events()`);
    this.addSql(`drop sequence "stream_sequence"`);
    this.addSql(`drop table "streams"`);
    this.addSql(`drop table "notification_deliveries"`);
    this.addSql(`drop table "notification_preferences"`);
    this.addSql(`revoke update on "notifications" from registry_application`);
    this.addSql(`drop index "notifications_unread_index"`);
    this.addSql(`update "notifications" set title = coalesce(title, type), text = coalesce(text, '')`);
    this.addSql(`alter table "notifications" alter column "title" set not null`);
    this.addSql(`alter table "notifications" alter column "text" set not null`);
    this.addSql(`alter table "notifications" drop column "facts"`);
    this.addSql(`alter table "users" drop column "language"`);
  }
}
