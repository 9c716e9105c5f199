import { Migration } from '@mikro-orm/migrations';

/**
 * What the public calendar finds events by (`CalendarEntryEntity`), kept by the database itself. Words are searched by their beginnings and
 * not by `pg_trgm`: in a cluster whose character type is C, as the embedded one's is, that extension takes Cyrillic letters for
 * separators. Nothing here depends on the character type but `lower`.
 */
export class Migration20261122102803_calendar_entries extends Migration {
  override name = 'Migration20261122102803_calendar_entries';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "calendar_entries" ("event_id" int not null, "starts_at" timestamptz not null, "ends_at" timestamptz not null, "discipline_id" int not null, "words" tsvector not null, primary key ("event_id"));`,
    );
    this.addSql(`create index "calendar_entries_index" on "calendar_entries" ("starts_at", "event_id", "ends_at");`);
    this.addSql(
      `create index "calendar_entries_discipline_index" on "calendar_entries" ("discipline_id", "starts_at", "event_id", "ends_at");`,
    );
    // Events change seldom and are searched often: nothing waits beside the index to be read by every search.
    this.addSql(`create index "calendar_entries_words_index" on "calendar_entries" using gin ("words") with (fastupdate = off);`);
    this.addSql(
      `alter table "calendar_entries" add constraint "calendar_entries_event_fk" foreign key ("event_id") references "events" ("id") on update cascade on delete cascade;`,
    );
    // The calendar reads its entries instead.
    this.addSql(`drop index "events_calendar_discipline_index";`);
    this.addSql(`drop index "events_calendar_index";`);

    this.foldWords();
    this.keepEntries();
    this.addSql(`
      insert into calendar_entries (event_id, starts_at, ends_at, discipline_id, words)
      select e.id, e.starts_at, e.ends_at, e.discipline_id, array_to_tsvector(calendar_words(concat_ws(' ', e.title, e.location, p.name)))
      from events e join profiles p on p.id = e.profile_id where e.published_at is not null`);
    this.addSql('grant insert, update, delete on "calendar_entries" to registry_application');
  }

  /**
   * The words of a text, folded: small letters, and Kazakh ones as the Russian letters that people type instead where their keyboard
   * lacks them. A word of the index has at most 2 KB, so only the beginning of a long one is kept. What separates words is named, since
   * classes of characters differ between clusters.
   */
  private foldWords(): void {
    this.addSql(`
      create function calendar_words(phrase text) returns text[] language sql immutable strict parallel safe as $$
        select coalesce(array_agg(distinct left(word, 60)), '{}')
        from regexp_split_to_table(
          translate(lower(normalize(phrase, NFC)), 'ёәғқңөұүһі', 'еагкноуухи'),
          '[\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u0060\\u007b-\\u00bf\\u2000-\\u206f\\u2116\\u3000]+'
        ) as word where word <> ''
      $$`);
    // The words of a phrase as beginnings of words that must all be there; of a long phrase the first ten.
    this.addSql(`
      create function calendar_query(phrase text) returns tsquery language sql immutable strict parallel safe as $$
        select coalesce(string_agg('''' || word || ''':*', ' & '), '')::tsquery from unnest((calendar_words(phrase))[1:10]) as word
      $$`);
  }

  private keepEntries(): void {
    this.addSql(`
      create function keep_calendar_entry() returns trigger language plpgsql as $$
      begin
        if new.published_at is not null then
          insert into calendar_entries (event_id, starts_at, ends_at, discipline_id, words)
          select new.id, new.starts_at, new.ends_at, new.discipline_id,
            array_to_tsvector(calendar_words(concat_ws(' ', new.title, new.location, p.name)))
          from profiles p where p.id = new.profile_id
          on conflict (event_id) do update set starts_at = excluded.starts_at, ends_at = excluded.ends_at,
            discipline_id = excluded.discipline_id, words = excluded.words;
        elsif tg_op = 'UPDATE' and old.published_at is not null then
          delete from calendar_entries where event_id = new.id;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger events_calendar_entry
      after insert or update of published_at, starts_at, ends_at, discipline_id, profile_id, title, location on "events"
      for each row execute function keep_calendar_entry()`);
    this.addSql(`
      create function keep_organizer_of_calendar_entries() returns trigger language plpgsql as $$
      begin
        if new.kind = 'organizer' and old.name is distinct from new.name then
          update calendar_entries c set words = array_to_tsvector(calendar_words(concat_ws(' ', e.title, e.location, new.name)))
          from events e where e.profile_id = new.id and c.event_id = e.id;
        end if;
        return null;
      end $$`);
    // It names no column itself: one that it named could not change its type beside it.
    this.addSql(`
      create trigger profiles_calendar_entries after update on "profiles"
      for each row execute function keep_organizer_of_calendar_entries()`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop trigger profiles_calendar_entries on "profiles"');
    this.addSql('drop function keep_organizer_of_calendar_entries()');
    this.addSql('drop trigger events_calendar_entry on "events"');
    this.addSql('drop function keep_calendar_entry()');
    this.addSql('drop function calendar_query(text)');
    this.addSql(`drop table if exists "calendar_entries" cascade;`);
    this.addSql('drop function calendar_words(text)');
    this.addSql(
      `create index "events_calendar_discipline_index" on "events" ("discipline_id", "starts_at", "id") where published_at is not null;`,
    );
    this.addSql(`create index "events_calendar_index" on "events" ("starts_at", "id") where published_at is not null;`);
  }
}
