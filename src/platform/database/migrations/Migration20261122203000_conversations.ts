import { Migration } from '@mikro-orm/migrations';

/**
 * The messenger and the chats with the federation. Lists and counters live from the rows of conversations alone.
 *
 * A conversation about a registration is made by a trigger with the first submission, and follows the owners of registration and event by two
 * more: no command of the registrations needs to know of messages, nor one of a release that runs beside this migration.
 */
export class Migration20261122203000_conversations extends Migration {
  override name = 'Migration20261122203000_conversations';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "conversations" ("id" serial primary key, "kind" varchar(20) not null, "registration_id" int null, "athlete_id" int not null, "organizer_id" int null, "message_count" int not null default 0, "athlete_unread" int not null default 0, "counterpart_unread" int not null default 0, "last_message_id" bigint null, "last_message_at" timestamptz null, "created_at" timestamptz not null);`,
    );
    this.addSql(`alter table "conversations" add constraint "conversations_registration_unique" unique ("registration_id");`);
    this.addSql(`create unique index "conversations_federation_unique" on "conversations" ("athlete_id") where kind = 'federation';`);
    this.addSql(
      `create index "conversations_athlete_index" on "conversations" ("athlete_id", ("athlete_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'registration';`,
    );
    this.addSql(
      `create index "conversations_organizer_index" on "conversations" ("organizer_id", ("counterpart_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'registration';`,
    );
    this.addSql(
      `create index "conversations_federation_index" on "conversations" (("counterpart_unread" > 0) desc, "last_message_id" desc nulls last, "id" desc) where kind = 'federation';`,
    );
    this.addSql(
      `alter table "conversations" add constraint "conversations_registration_fk" foreign key ("registration_id") references "registrations" ("id");`,
    );
    this.addSql(
      `alter table "conversations" add constraint "conversations_athlete_fk" foreign key ("athlete_id") references "users" ("id");`,
    );
    this.addSql(
      `alter table "conversations" add constraint "conversations_organizer_fk" foreign key ("organizer_id") references "users" ("id");`,
    );
    this.addSql(
      `alter table "conversations" add constraint "conversations_kind_known" check (case kind when 'registration' then num_nulls(registration_id, organizer_id) = 0 when 'federation' then num_nulls(registration_id, organizer_id) = 2 else false end);`,
    );
    this.addSql(
      `alter table "conversations" add constraint "conversations_counters" check (least(message_count, athlete_unread, counterpart_unread) >= 0);`,
    );
    this.addSql(`grant insert, update on "conversations" to registry_application`);
    this.addSql(`grant usage, select on sequence "conversations_id_seq" to registry_application`);

    this.addSql(
      `create table "messages" ("id" bigserial primary key, "conversation_id" int not null, "side" varchar(20) not null, "author_id" int not null, "text" text not null, "client_key" varchar(255) null, "created_at" timestamptz not null, "read_at" timestamptz null);`,
    );
    this.addSql(
      `create unique index "messages_client_key_unique" on "messages" ("conversation_id", "author_id", "client_key") where client_key is not null;`,
    );
    this.addSql(`create index "messages_conversation_index" on "messages" ("conversation_id", "id");`);
    this.addSql(`create index "messages_unread_index" on "messages" ("conversation_id", "id") where read_at is null;`);
    this.addSql(
      `alter table "messages" add constraint "messages_conversation_fk" foreign key ("conversation_id") references "conversations" ("id");`,
    );
    this.addSql(`alter table "messages" add constraint "messages_author_fk" foreign key ("author_id") references "users" ("id");`);
    this.addSql(`alter table "messages" add constraint "messages_side_known" check (side in ('athlete', 'organizer', 'federation'));`);
    this.addSql(`alter table "messages" add constraint "messages_text_length" check (char_length(text) between 1 and 3000);`);
    // What was said stays as it was said.
    this.addSql(`grant insert, update ("read_at") on "messages" to registry_application`);
    this.addSql(`grant usage, select on sequence "messages_id_seq" to registry_application`);

    this.addSql(`
      create function converse_about_new_registrations() returns trigger language plpgsql as $$
      begin
        insert into conversations (kind, registration_id, athlete_id, organizer_id, created_at)
          select 'registration', r.id, r.owner_id, e.owner_id, r.submitted_at
          from fresh r join events e on e.id = r.event_id where r.submitted_at is not null order by r.id;
        return null;
      end $$`);
    this.addSql(`
      create trigger registrations_converse after insert on "registrations" referencing new table as fresh
      for each statement execute function converse_about_new_registrations()`);
    this.addSql(`
      create function converse_about_submitted_registration() returns trigger language plpgsql as $$
      begin
        insert into conversations (kind, registration_id, athlete_id, organizer_id, created_at)
          select 'registration', new.id, new.owner_id, e.owner_id, new.submitted_at from events e where e.id = new.event_id;
        return null;
      end $$`);
    this.addSql(`
      create trigger registrations_converse_later after update of "submitted_at" on "registrations"
      for each row when (old.submitted_at is null and new.submitted_at is not null) execute function converse_about_submitted_registration()`);

    this.addSql(`
      create function converse_with_new_athlete() returns trigger language plpgsql as $$
      begin
        update conversations set athlete_id = new.owner_id where registration_id = new.id;
        return null;
      end $$`);
    this.addSql(`
      create trigger registrations_conversation_owner after update of "owner_id" on "registrations"
      for each row when (old.owner_id <> new.owner_id) execute function converse_with_new_athlete()`);
    this.addSql(`
      create function converse_with_new_organizer() returns trigger language plpgsql as $$
      begin
        update conversations c set organizer_id = new.owner_id
          from registrations r where r.event_id = new.id and c.registration_id = r.id;
        return null;
      end $$`);
    this.addSql(`
      create trigger events_conversation_owner after update of "owner_id" on "events"
      for each row when (old.owner_id <> new.owner_id) execute function converse_with_new_organizer()`);

    this.addSql(`
      insert into conversations (kind, registration_id, athlete_id, organizer_id, created_at)
      select 'registration', r.id, r.owner_id, e.owner_id, r.submitted_at
      from registrations r join events e on e.id = r.event_id where r.submitted_at is not null order by r.id`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger registrations_converse on "registrations"`);
    this.addSql(`drop trigger registrations_converse_later on "registrations"`);
    this.addSql(`drop trigger registrations_conversation_owner on "registrations"`);
    this.addSql(`drop trigger events_conversation_owner on "events"`);
    this.addSql(`drop function converse_about_new_registrations()`);
    this.addSql(`drop function converse_about_submitted_registration()`);
    this.addSql(`drop function converse_with_new_athlete()`);
    this.addSql(`drop function converse_with_new_organizer()`);
    this.addSql(`drop table "messages"`);
    this.addSql(`drop table "conversations"`);
  }
}
