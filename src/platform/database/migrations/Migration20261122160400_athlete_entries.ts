import { Migration } from '@mikro-orm/migrations';

/**
 * What administrators find athletes by (`AthleteEntryEntity`), kept by the database itself. Words are made and searched as those of the
 * calendar are (`calendar_words` of the migration `calendar_entries`).
 */
export class Migration20261122160400_athlete_entries extends Migration {
  override name = 'Migration20261122160400_athlete_entries';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "athlete_entries" ("profile_id" int not null, "status" varchar(20) not null, "issued_year" int null, "pending_year" int null, "words" tsvector not null, primary key ("profile_id"));`,
    );
    this.addSql(`create index "athlete_entries_index" on "athlete_entries" ("profile_id", "status", "issued_year", "pending_year");`);
    this.addSql(
      `create index "athlete_entries_status_index" on "athlete_entries" ("status", "profile_id", "issued_year", "pending_year");`,
    );
    this.addSql(
      `create index "athlete_entries_pending_index" on "athlete_entries" ("pending_year", "profile_id", "status", "issued_year") where pending_year is not null;`,
    );
    // Athletes change seldom and are searched often: nothing waits beside the index to be read by every search.
    this.addSql(`create index "athlete_entries_words_index" on "athlete_entries" using gin ("words") with (fastupdate = off);`);
    this.addSql(
      `alter table "athlete_entries" add constraint "athlete_entries_profile_fk" foreign key ("profile_id") references "profiles" ("id") on update cascade on delete cascade;`,
    );

    this.makeWords();
    this.keepProfiles();
    this.keepYears();
    this.addSql(`
      insert into athlete_entries (profile_id, status, issued_year, pending_year, words)
      select p.id, p.status, y.issued_year, y.pending_year, athlete_words(p.id, p.name, p.data, p.iin, u.email)
      from profiles p join users u on u.id = p.owner_id left join (
        select profile_id, max(year) filter (where status = 'approved') as issued_year,
          max(year) filter (where status in ('submitted', 'changes')) as pending_year
        from applications where kind = 'national_certificate' group by profile_id
      ) y on y.profile_id = p.id
      where p.kind = 'athlete'`);
    this.addSql('grant insert, update on "athlete_entries" to registry_application');
  }

  /** The words of name, city and e-mail; the e-mail, the IIN and the id (behind a `#`, so that no other number is taken for it) whole; the phone. */
  private makeWords(): void {
    // Digits alone: of a number of this country with both beginnings that people write and without one.
    this.addSql(`
      create function athlete_phones(digits text) returns text[] language sql immutable parallel safe as $$
        select case
          when digits ~ '^[78]?[0-9]{10}$' then array[right(digits, 10), '7' || right(digits, 10), '8' || right(digits, 10)]
          when digits <> '' then array[digits]
          else '{}'
        end
      $$`);
    this.addSql(`
      create function athlete_words(profile_id int, name text, data jsonb, iin text, email text) returns tsvector
      language sql immutable parallel safe as $$
        select array_to_tsvector(
          calendar_words(concat_ws(' ', name, data->>'city', email))
          || array_remove(array['#' || profile_id, email, iin], null)
          || athlete_phones(regexp_replace(data->>'phone', '[^0-9]', '', 'g')))
      $$`);
  }

  private keepProfiles(): void {
    this.addSql(`
      create function keep_athlete_entry() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and (old.status, old.owner_id, old.name, old.iin, old.data)
          is not distinct from (new.status, new.owner_id, new.name, new.iin, new.data) then
          return null;
        end if;
        if new.kind = 'athlete' then
          insert into athlete_entries (profile_id, status, words)
          select new.id, new.status, athlete_words(new.id, new.name, new.data, new.iin, u.email) from users u where u.id = new.owner_id
          on conflict (profile_id) do update set status = excluded.status, words = excluded.words;
        end if;
        return null;
      end $$`);
    // It names no column itself: one that it named could not change its type beside it.
    this.addSql(`
      create trigger profiles_athlete_entry after insert or update on "profiles"
      for each row execute function keep_athlete_entry()`);
    this.addSql(`
      create function keep_email_of_athlete_entries() returns trigger language plpgsql as $$
      begin
        if old.email is distinct from new.email then
          update athlete_entries e set words = athlete_words(p.id, p.name, p.data, p.iin, new.email)
          from profiles p where p.owner_id = new.id and e.profile_id = p.id;
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger users_athlete_entries after update on "users"
      for each row execute function keep_email_of_athlete_entries()`);
  }

  private keepYears(): void {
    this.addSql(`
      create function keep_years_of_athlete_entry() returns trigger language plpgsql as $$
      declare
        athlete int;
      begin
        if tg_op = 'DELETE' then
          athlete := old.profile_id;
        else
          athlete := new.profile_id;
        end if;
        -- Whoever changes another application of the athlete at the same time waits here, and then sees this one too.
        perform 1 from athlete_entries where profile_id = athlete for no key update;
        update athlete_entries e set issued_year = y.issued, pending_year = y.pending
        from (
          select max(year) filter (where status = 'approved') as issued,
            max(year) filter (where status in ('submitted', 'changes')) as pending
          from applications where profile_id = athlete and kind = 'national_certificate'
        ) y
        where e.profile_id = athlete and (e.issued_year, e.pending_year) is distinct from (y.issued, y.pending);
        return null;
      end $$`);
    // A draft is made and deleted without it.
    for (const [event, condition] of [
      ['insert', `new.kind = 'national_certificate' and new.status <> 'draft'`],
      ['update', `new.kind = 'national_certificate' and (old.status, old.year) is distinct from (new.status, new.year)`],
      ['delete', `old.kind = 'national_certificate' and old.status <> 'draft'`],
    ] as const)
      this.addSql(`
        create trigger applications_athlete_entry_${event} after ${event} on "applications"
        for each row when (${condition}) execute function keep_years_of_athlete_entry()`);
  }

  override down(): void | Promise<void> {
    for (const event of ['insert', 'update', 'delete']) this.addSql(`drop trigger applications_athlete_entry_${event} on "applications"`);
    this.addSql('drop function keep_years_of_athlete_entry()');
    this.addSql('drop trigger users_athlete_entries on "users"');
    this.addSql('drop function keep_email_of_athlete_entries()');
    this.addSql('drop trigger profiles_athlete_entry on "profiles"');
    this.addSql('drop function keep_athlete_entry()');
    this.addSql('drop function athlete_words(int, text, jsonb, text, text)');
    this.addSql('drop function athlete_phones(text)');
    this.addSql(`drop table if exists "athlete_entries" cascade;`);
  }
}
