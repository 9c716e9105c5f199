import { Migration } from '@mikro-orm/migrations';

/**
 * The events of a transaction are looked for from its first one on. They were looked for from the beginning of all that has no number: numbered rows
 * leave their places in that index behind until the table is cleaned, so beside one long transaction each commit read those of all before it.
 *
 * An account keeps its first number beside its last, so that a number which was never its own is told from one that was cleared.
 */
export class Migration20261122202000_stream_numbers extends Migration {
  override name = 'Migration20261122202000_stream_numbers';

  override up(): void | Promise<void> {
    this.addSql(`alter table "streams" add "first_sequence" bigint not null default 0;`);
    this.addSql(`drop index "stream_events_unnumbered_index";`);
    this.addSql(`create index "stream_events_unnumbered_index" on "stream_events" ("id") where sequence is null;`);
    // The trigger runs for each row, in the order in which they were written. The first one numbers them all, account by account in the order
    // of their ids: whoever else tells the same accounts takes them in the same order, so two transactions never wait for each other.
    this.addSql(`
      create or replace function number_stream_events() returns trigger language plpgsql as $$
      declare
        event record;
        number bigint;
      begin
        perform from stream_events where id = new.id and sequence is null;
        if not found then
          return null;
        end if;
        for event in select id, user_id from stream_events where sequence is null and id >= new.id order by user_id, id loop
          insert into streams as s (user_id, first_sequence, last_sequence)
            select event.user_id, n, n from nextval('stream_sequence') n
            on conflict (user_id) do update set last_sequence = nextval('stream_sequence')
            returning s.last_sequence into number;
          update stream_events set sequence = number where id = event.id;
          perform pg_notify('stream', event.user_id::text);
        end loop;
        return null;
      end $$`);
  }

  override down(): void | Promise<void> {
    this.addSql(`
      create or replace function number_stream_events() returns trigger language plpgsql as $$
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
    this.addSql(`drop index "stream_events_unnumbered_index"`);
    this.addSql(`create index "stream_events_unnumbered_index" on "stream_events" ("user_id", "id") where sequence is null`);
    this.addSql(`alter table "streams" drop column "first_sequence"`);
  }
}
