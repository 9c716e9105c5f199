import { Migration } from '@mikro-orm/migrations';

const words = (title: string, location: string, name: string) =>
  `array_to_tsvector(calendar_words(concat_ws(' ', ${title}, ${location}, ${name})))`;

const keepEntry = (lock: string) => `
  create or replace function keep_calendar_entry() returns trigger language plpgsql as $$
  begin
    if new.published_at is not null then
      ${lock}
      insert into calendar_entries (event_id, starts_at, ends_at, discipline_id, words)
      select new.id, new.starts_at, new.ends_at, new.discipline_id, ${words('new.title', 'new.location', 'p.name')}
      from profiles p where p.id = new.profile_id
      on conflict (event_id) do update set starts_at = excluded.starts_at, ends_at = excluded.ends_at,
        discipline_id = excluded.discipline_id, words = excluded.words;
    elsif tg_op = 'UPDATE' and old.published_at is not null then
      delete from calendar_entries where event_id = new.id;
    end if;
    return null;
  end $$`;

/**
 * An event that changes holds its organizer's profile before it reads the name. So of two changes at once, of an event and of the name, the
 * second reads what the first wrote. Entries that lost a change before are written anew.
 */
export class Migration20261124140100_calendar_words_of_both extends Migration {
  override name = 'Migration20261124140100_calendar_words_of_both';

  override up(): void | Promise<void> {
    // By a statement of its own: the next one reads what was committed while this one waited.
    this.addSql(keepEntry('perform 1 from profiles where id = new.profile_id for share;'));
    this.addSql(`
      update calendar_entries c set words = ${words('e.title', 'e.location', 'p.name')}
      from events e join profiles p on p.id = e.profile_id
      where e.id = c.event_id and c.words <> ${words('e.title', 'e.location', 'p.name')}`);
  }

  override down(): void | Promise<void> {
    this.addSql(keepEntry(''));
  }
}
