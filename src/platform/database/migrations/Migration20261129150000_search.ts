import { Migration } from '@mikro-orm/migrations';

/** Makes events of any status, organizers and logged requests searchable for administrators (ADM-9). */
export class Migration20261129150000_search extends Migration {
  override name = 'Migration20261129150000_search';

  override up(): void {
    this.addSql(`create table event_entries (
      event_id int not null, words tsvector not null, primary key (event_id),
      constraint event_entries_event_fk foreign key (event_id) references events (id) on update cascade on delete cascade
    )`);
    this.addSql('create index event_entries_words_index on event_entries using gin (words) with (fastupdate = off)');
    this.addSql(`create table organizer_entries (
      profile_id int not null, words tsvector not null, primary key (profile_id),
      constraint organizer_entries_profile_fk foreign key (profile_id) references profiles (id) on update cascade on delete cascade
    )`);
    this.addSql('create index organizer_entries_words_index on organizer_entries using gin (words) with (fastupdate = off)');
    this.addSql('create index request_records_request_index on request_records (request_id)');

    this.addSql(`
-- The first ten words, which must all occur as they are.
create function all_words(words text[]) returns tsquery language sql immutable strict parallel safe as $$
  select coalesce(string_agg('''' || word || '''', ' & '), '')::tsquery from unnest(words[1:10]) as word
$$`);
    this.addSql(`
-- The same as beginnings of words; a number of up to four digits, which begins a hundred thousand telephone numbers, stays whole.
create function long_beginnings(words text[]) returns tsquery language sql immutable strict parallel safe as $$
  select coalesce(string_agg('''' || word || '''' || case when word ~ '^[0-9]{1,4}$' then '' else ':*' end, ' & '), '')::tsquery
  from unnest(words[1:10]) as word
$$`);
    this.addSql(`
-- As athlete_words: the words of name, city and e-mail; the e-mail, the BIN and the id (behind a #) whole; the telephone number.
create function organizer_words(profile_id int, name text, data jsonb) returns tsvector language sql immutable parallel safe as $$
  select array_to_tsvector(
    calendar_words(concat_ws(' ', name, data->>'city', data->>'email'))
    || array_remove(array['#' || profile_id, lower(data->>'email'), data->>'bin'], null)
    || athlete_phones(regexp_replace(data->>'phone', '[^0-9]', '', 'g')))
$$`);
    this.addSql(`
-- The row of an event follows its title.
create function keep_event_entry() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or old.title is distinct from new.title then
    insert into event_entries (event_id, words) values (new.id, array_to_tsvector(calendar_words(new.title)))
    on conflict (event_id) do update set words = excluded.words;
  end if;
  return null;
end $$`);
    this.addSql('create trigger events_event_entry after insert or update on events for each row execute function keep_event_entry()');
    this.addSql(`
-- The row of an organizer follows the profile.
create function keep_organizer_entry() returns trigger language plpgsql as $$
begin
  if new.kind = 'organizer' and (tg_op = 'INSERT' or (old.name, old.data) is distinct from (new.name, new.data)) then
    insert into organizer_entries (profile_id, words) values (new.id, organizer_words(new.id, new.name, new.data))
    on conflict (profile_id) do update set words = excluded.words;
  end if;
  return null;
end $$`);
    this.addSql(
      'create trigger profiles_organizer_entry after insert or update on profiles for each row execute function keep_organizer_entry()',
    );

    this.addSql('insert into event_entries (event_id, words) select id, array_to_tsvector(calendar_words(title)) from events');
    this.addSql(
      `insert into organizer_entries (profile_id, words) select id, organizer_words(id, name, data) from profiles where kind = 'organizer'`,
    );
    this.addSql('grant insert, update on event_entries, organizer_entries to registry_application');
  }
}
