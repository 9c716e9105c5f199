import { Migration } from '@mikro-orm/migrations';

/**
 * What administrators settle and look up: incidents and messages with who settled them, the ledger by time and type, and the words by which
 * accounts are found (`UserWordsEntity`), kept by the database itself. Words are folded as those of the calendar are.
 */
export class Migration20261122160200_money_and_users extends Migration {
  override name = 'Migration20261122160200_money_and_users';

  override up(): void | Promise<void> {
    this.addSql(`alter table "incidents" add "resolved_by" int null, add "resolution" text null, add "transaction_id" int null;`);
    this.addSql(
      `alter table "incidents" add constraint "incidents_resolver_fk" foreign key ("resolved_by") references "users" ("id") on delete set null;`,
    );
    this.addSql(`create index "incidents_transaction_index" on "incidents" ("transaction_id") where transaction_id is not null;`);
    this.addSql('grant update on "incidents" to registry_application');

    this.addSql(
      `alter table "contact_messages" add "answered_at" timestamptz null, add "answered_by" int null, add "answer_note" text null;`,
    );
    this.addSql(
      `alter table "contact_messages" add constraint "contact_messages_answerer_fk" foreign key ("answered_by") references "users" ("id") on delete set null;`,
    );
    this.addSql('grant update on "contact_messages" to registry_application');

    this.addSql(`create index "ledger_transactions_at_index" on "ledger_transactions" ("at", "id");`);
    this.addSql(`create index "ledger_transactions_type_index" on "ledger_transactions" ("type", "at", "id");`);

    this.addSql(`create index "users_role_index" on "users" ("role", "id");`);
    this.addSql(`create index "users_status_index" on "users" ("status", "id");`);
    this.addSql(`create table "user_words" ("user_id" int not null, "words" tsvector not null, primary key ("user_id"));`);
    // People register seldom and are searched often: nothing waits beside the index to be read by every search.
    this.addSql(`create index "user_words_index" on "user_words" using gin ("words") with (fastupdate = off);`);
    this.addSql(
      `alter table "user_words" add constraint "user_words_user_fk" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.readWords();
    this.keepWords();
    this.addSql('insert into user_words (user_id, words) select id, words_of_user(name, email, phone) from users');
    this.addSql('grant insert, update on "user_words" to registry_application');
  }

  /**
   * Digits are words apart from the letters beside them: of `athlete17` and its like there is one word, not one for each person. A telephone
   * number stands behind a plus, with its country (`+7 701…`, `8 701…`) and without it. Beginnings of digits up to six signs stand in the index
   * themselves: one digit is the beginning of a hundred thousand numbers, which no search should go through one by one.
   */
  private readWords(): void {
    this.addSql(`
      create function words_apart(phrase text) returns text[] language sql immutable strict parallel safe as $$
        select calendar_words(regexp_replace(phrase, '([0-9]+)', ' \\1 ', 'g'))
      $$`);
    this.addSql(`
      create function words_of_user(name text, email text, phone text) returns tsvector language sql immutable parallel safe as $$
        with phone_digits (digits) as (
          select regexp_replace(coalesce(phone, ''), '[^0-9]', '', 'g')
        ), words (word) as (
          select unnest(words_apart(coalesce(name, '') || ' ' || coalesce(email, '')))
          union all select '+' || digits from phone_digits where digits <> ''
          union all select '+' || right(digits, 10) from phone_digits where digits ~ '^[78][0-9]{10}$'
        )
        select coalesce(array_to_tsvector(array_agg(lexeme)), ''::tsvector) from (
          select word as lexeme from words
          union select left(word, n) from words, generate_series(1, 6) as n where word ~ '^[+]?[0-9]+$' and left(word, n) <> '+'
        ) as lexemes
      $$`);
    this.addSql(`
      create function beginning_of(word text) returns tsquery language sql immutable strict parallel safe as $$
        select ('''' || word || '''' || case when word ~ '^[+]?[0-9]+$' and length(word) <= 6 then '' else ':*' end)::tsquery
      $$`);
    // The words of a phrase as beginnings of words that must all be there, of a long phrase the first ten; a
    // phrase of digits also as the beginning of a number.
    this.addSql(`
      create function query_of_users(phrase text) returns tsquery language sql immutable strict parallel safe as $$
        with queries (every, digits) as (
          select (select coalesce(string_agg(beginning_of(word)::text, ' & '), '')::tsquery from unnest((words_apart(phrase))[1:10]) as word),
            case when phrase ~ '^[+]?[0-9 ()-]*[0-9][0-9 ()-]*$' then regexp_replace(phrase, '[^0-9]', '', 'g') end
        )
        select case
          when digits is null then every
          when digits ~ '^[78][0-9]{10}$' then every || beginning_of('+' || right(digits, 10))
          else every || beginning_of('+' || digits)
        end from queries
      $$`);
  }

  private keepWords(): void {
    this.addSql(`
      create function keep_words_of_user() returns trigger language plpgsql as $$
      begin
        if tg_op = 'INSERT' or (old.name, old.email, old.phone) is distinct from (new.name, new.email, new.phone) then
          insert into user_words (user_id, words) values (new.id, words_of_user(new.name, new.email, new.phone))
          on conflict (user_id) do update set words = excluded.words;
        end if;
        return null;
      end $$`);
    // It names no column itself: one that it named could not change its type beside it.
    this.addSql(`
      create trigger users_words after insert or update on "users"
      for each row execute function keep_words_of_user()`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop trigger users_words on "users"');
    this.addSql('drop function keep_words_of_user()');
    this.addSql('drop function query_of_users(text)');
    this.addSql('drop function beginning_of(text)');
    this.addSql(`drop table if exists "user_words" cascade;`);
    this.addSql('drop function words_of_user(text, text, text)');
    this.addSql('drop function words_apart(text)');
    this.addSql(`drop index "users_status_index";`);
    this.addSql(`drop index "users_role_index";`);

    this.addSql(`drop index "ledger_transactions_type_index";`);
    this.addSql(`drop index "ledger_transactions_at_index";`);

    this.addSql('revoke update on "contact_messages" from registry_application');
    this.addSql(`alter table "contact_messages" drop column "answered_at", drop column "answered_by", drop column "answer_note";`);

    this.addSql('revoke update on "incidents" from registry_application');
    this.addSql(`alter table "incidents" drop column "resolved_by", drop column "resolution", drop column "transaction_id";`);
  }
}
