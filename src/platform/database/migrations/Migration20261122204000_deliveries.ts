import { Migration } from '@mikro-orm/migrations';

/**
 * What is to go out to an account is gathered under one row, which is there as long as anything waits: its process lives as long as the row.
 *
 * The row comes about at the commit, and so does the message that wakes the process, some seconds later: what is told within moments goes out in
 * one run, and a command pays no statement for it. The trigger hangs on the events of the live streams and comes behind the one that numbers
 * them (triggers of one event go by their names), so the accounts of a transaction are locked by then, in their order, and nobody else begins a
 * delivery of theirs. The lock on the row keeps the process from taking it away without having seen what is being committed. It is taken by a
 * statement of its own: the next one sees the row, and its pauses, as a round left them that was ending meanwhile.
 */
export class Migration20261122204000_deliveries extends Migration {
  override name = 'Migration20261122204000_deliveries';

  override up(): void | Promise<void> {
    this.addSql(`alter table "notification_deliveries" add "request_id" varchar(64) not null;`);

    this.addSql(
      `create table "deliveries" ("user_id" int not null, "due_at" timestamptz not null, "created_at" timestamptz not null, primary key ("user_id"));`,
    );
    this.addSql(
      `alter table "deliveries" add constraint "deliveries_user_fk" foreign key ("user_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(`create index "deliveries_due_index" on "deliveries" ("due_at", "user_id");`);
    this.addSql(`grant insert, update, delete on "deliveries" to registry_application`);

    this.addSql(
      `create table "delivery_pauses" ("user_id" int not null, "channel" varchar(10) not null, "tries" int not null, "until" timestamptz not null, primary key ("user_id", "channel"));`,
    );
    this.addSql(
      `alter table "delivery_pauses" add constraint "delivery_pauses_delivery_fk" foreign key ("user_id") references "deliveries" ("user_id") on delete cascade;`,
    );
    this.addSql(`alter table "delivery_pauses" add constraint "delivery_pauses_channel_known" check (channel in ('mail', 'bot'));`);
    this.addSql(`grant insert, update, delete on "delivery_pauses" to registry_application`);

    this.addSql(`
      create function start_delivery() returns trigger language plpgsql as $$
      declare
        request varchar(64);
      begin
        select request_id into request from notification_deliveries where notification_id = new.subject_id limit 1;
        if not found then
          return null;
        end if;
        perform 1 from deliveries where user_id = new.user_id for no key update;
        if found then
          -- One that waits for a channel that is away must not keep this one from another.
          update deliveries set due_at = new.created_at where user_id = new.user_id and due_at > new.created_at and exists (
            select from notification_deliveries d where d.notification_id = new.subject_id and not exists (
              select from delivery_pauses p where p.user_id = d.user_id and p.channel = d.channel and p.until > new.created_at));
          if not found then
            return null;
          end if;
        else
          insert into deliveries (user_id, due_at, created_at) values (new.user_id, new.created_at, new.created_at);
        end if;
        insert into outbox (process, request_id, attempts, available_at)
          values ('delivery/' || new.user_id, request, 0, clock_timestamp() + interval '5 seconds');
        return null;
      end $$`);
    this.addSql(`
      create constraint trigger stream_events_then_delivered after insert on "stream_events" deferrable initially deferred
      for each row when (new.kind = 'notification') execute function start_delivery()`);

    this.addSql(`
      create function tally_delivery_made() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) select 'living', 'delivery', count(*) from fresh having count(*) > 0;
        return null;
      end $$`);
    this.addSql(`
      create function tally_delivery_gone() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) select 'living', 'delivery', -count(*) from gone having count(*) > 0;
        return null;
      end $$`);
    this.addSql(`
      create trigger tally_made after insert on "deliveries" referencing new table as fresh
      for each statement execute function tally_delivery_made()`);
    this.addSql(`
      create trigger tally_gone after delete on "deliveries" referencing old table as gone
      for each statement execute function tally_delivery_gone()`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop trigger stream_events_then_delivered on "stream_events"`);
    this.addSql(`drop function start_delivery()`);
    this.addSql(`drop table "delivery_pauses"`);
    this.addSql(`drop table "deliveries"`);
    this.addSql(`drop function tally_delivery_made()`);
    this.addSql(`drop function tally_delivery_gone()`);
    this.addSql(`alter table "notification_deliveries" drop column "request_id"`);
  }
}
