-- What the entities cannot say: functions, triggers, grants and first rows, from the lowest area to the uppermost.
-- A number such as AUD-1 names the rule of docs/rules/ that a trigger enforces. A trigger stands in the area that it writes for, which may be
-- above the area of its table.
--
-- What the triggers keep true, by table. `version`: `updated_at` grows with each change (keep_updated_at_growing). `append-only`: rows neither
-- change nor go (refuse_change_of_append_only_row). `totals`: `tallies` counts the rows (keep_totals, keep_list_totals).
--   additional_documents, contract_templates, event_stages, participants, services: version
--   application_history: append-only; a changed status reaches the status list (application_status_kept)
--   applications: version; totals; each change has a row of history (application_history_complete_*); rows of the national list
--     (applications_national_certificates_*); years of the athlete (applications_athlete_entry_*)
--   audit_events, bank_answers, contract_template_versions, federation_signings, ownership_transfers, process_actions, registration_history,
--     review_decisions: append-only
--   certificates: printed names of the national list (certificates_national_certificates)
--   contracts: version; totals
--   documents: version; totals; standings for answers about past days (document_standing_*)
--   events: version; totals; calendar entry (events_calendar_entry); organizer of conversations (events_conversation_owner)
--   invoices, national_certificates, national_exports, status_lists, webhooks: totals
--   ledger_entries: append-only; a transaction sums to zero (ledger_entries_sum_to_zero); sums by kind of account (tally_made)
--   ledger_transactions: append-only; totals
--   national_export_records: export marks (national_export_records_insert, national_export_records_update)
--   profiles: version; totals; standings of profile and photo (profile_standing_*, photo_standing_*); names in calendar, athlete and national
--     lists (profiles_calendar_entries, profiles_athlete_entry, profiles_national_certificates)
--   registrations: version; totals; their conversation (registrations_converse*) and its athlete (registrations_conversation_owner)
--   review_standings: append-only; a changed standing reaches the status lists (standing_status_kept)
--   stream_events: numbers at the commit (stream_events_numbered)
--   users: version; totals; words of searches (users_words); e-mail of athletes (users_athlete_entries)
--   webhook_deliveries: subjects that wait (webhook_deliveries_subjects)


-- Mechanisms that several areas use

-- Refuses each change of a row that is written once, also to the owner of the tables.
create function refuse_change_of_append_only_row() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

-- PRO-7, CAT-5: an edit names the `updated_at` that it read, so `updated_at` grows with each change: by a clock that is behind, by two
-- commands in one millisecond, by statements past the entities.
create function keep_updated_at_growing() returns trigger language plpgsql as $$
begin
  new.updated_at := greatest(new.updated_at, date_trunc('milliseconds', old.updated_at) + interval '1 millisecond');
  return new;
end $$;

-- A text as searches compare it: composed (NFC), small letters, Kazakh letters as the Russian ones that people type instead. Capital
-- letters are named, because lower() leaves Cyrillic ones in a cluster whose character type is C.
create function folded(phrase text) returns text language sql immutable strict parallel safe as $$
  select translate(lower(normalize(phrase, NFC)),
    'АБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯЁӘҒҚҢӨҰҮҺІёәғқңөұүһі',
    'абвгдежзийклмнопрстуфхцчшщъыьэюяеагкноуухиеагкноуухи')
$$;

-- The words of a text for searches, at most 60 characters each.
-- Separators are named: in a cluster whose character type is C, classes of characters and `pg_trgm` take Cyrillic letters for separators.
create function calendar_words(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg(distinct left(word, 60)), '{}')
  from regexp_split_to_table(
    folded(phrase), '[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2116\u3000]+'
  ) as word where word <> ''
$$;

-- Patterns for a list that is read whole: the first ten words of a phrase, which may lie inside words of the folded text. Without a word
-- there is a pattern that matches nothing.
create function search_patterns(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select coalesce(array_agg('%' || regexp_replace(word, '([%_\\])', '\\\1', 'g') || '%'), '{null}')
  from unnest((array_remove(regexp_split_to_array(folded(phrase), '[ ,\u0009-\u000d\u00a0\u2000-\u200a\u3000]+'), ''))[1:10]) as word
$$;

-- The first ten words of a phrase as beginnings of words that must all occur.
create function calendar_query(phrase text) returns tsquery language sql immutable strict parallel safe as $$
  select coalesce(string_agg('''' || word || ''':*', ' & '), '')::tsquery from unnest((calendar_words(phrase))[1:10]) as word
$$;

-- Writes the triggers that keep the totals of a kind of records: by status, and of those with a process (`living`). A total is never a row
-- that commands share: they add changes to `tally_changes`, and the sweeper folds these into `tallies`. Inserts and deletes are counted
-- for each statement, an update only where a counted fact changes. Only migrations call it.
-- `living` is a condition with {row} in place of the row, the same as in the entity's index of what lives.
create function keep_totals(table_name text, kind text, process text, living text) returns void language plpgsql as $migrate$
begin
  execute format($sql$
    create function tally_%1$s_made() returns trigger language plpgsql as $$
    begin
      insert into tally_changes (name, key, n)
        select %1$L, r.status, count(*) from fresh r group by r.status
        union all
        select 'living', %2$L, count(*) from fresh r where %3$s having count(*) > 0;
      return null;
    end $$;
    create function tally_%1$s_gone() returns trigger language plpgsql as $$
    begin
      insert into tally_changes (name, key, n)
        select %1$L, r.status, -count(*) from gone r group by r.status
        union all
        select 'living', %2$L, -count(*) from gone r where %3$s having count(*) > 0;
      return null;
    end $$;
    create function tally_%1$s_moved() returns trigger language plpgsql as $$
    begin
      if old.status <> new.status then
        insert into tally_changes (name, key, n) values (%1$L, old.status, -1), (%1$L, new.status, 1);
      end if;
      if (%4$s) <> (%5$s) then
        insert into tally_changes (name, key, n) values ('living', %2$L, case when %5$s then 1 else -1 end);
      end if;
      return null;
    end $$;
    create trigger tally_made after insert on %6$I referencing new table as fresh
    for each statement execute function tally_%1$s_made();
    create trigger tally_gone after delete on %6$I referencing old table as gone
    for each statement execute function tally_%1$s_gone();
    create trigger tally_moved after update on %6$I for each row
    when (old.status <> new.status or (%4$s) <> (%5$s)) execute function tally_%1$s_moved();
  $sql$, kind, process, replace(living, '{row}', 'r'), replace(living, '{row}', 'old'), replace(living, '{row}', 'new'), table_name);
end $migrate$;

-- The same for an administrators' list: how many rows are alike in the columns that it is filtered by (`CountedLists`). The ledger's rows
-- neither change nor go.
create function keep_list_totals(table_name text, list text, columns text[], is_append_only boolean) returns void
language plpgsql as $migrate$
declare
  counted text := (select string_agg('r.' || name, ', ' order by n) from unnest(columns) with ordinality as c (name, n));
  former text := (select string_agg('old.' || name, ', ' order by n) from unnest(columns) with ordinality as c (name, n));
  present text := (select string_agg('new.' || name, ', ' order by n) from unnest(columns) with ordinality as c (name, n));
begin
  execute format($sql$
    create function tally_list_%1$s_made() returns trigger language plpgsql as $$
    begin
      insert into tally_changes (name, key, n) select 'list:%1$s', concat_ws('.', %2$s), count(*) from counted r group by 2;
      return null;
    end $$;
    create trigger tally_list_made after insert on %3$I referencing new table as counted
    for each statement execute function tally_list_%1$s_made();
  $sql$, list, counted, table_name);
  if is_append_only then
    return;
  end if;
  execute format($sql$
    create function tally_list_%1$s_gone() returns trigger language plpgsql as $$
    begin
      insert into tally_changes (name, key, n) select 'list:%1$s', concat_ws('.', %2$s), -count(*) from counted r group by 2;
      return null;
    end $$;
    create function tally_list_%1$s_moved() returns trigger language plpgsql as $$
    begin
      insert into tally_changes (name, key, n)
        values ('list:%1$s', concat_ws('.', %3$s), -1), ('list:%1$s', concat_ws('.', %4$s), 1);
      return null;
    end $$;
    create trigger tally_list_gone after delete on %5$I referencing old table as counted
    for each statement execute function tally_list_%1$s_gone();
    create trigger tally_list_moved after update on %5$I for each row
    when ((%3$s) is distinct from (%4$s)) execute function tally_list_%1$s_moved();
  $sql$, list, counted, former, present, table_name);
end $migrate$;


-- Platform

insert into sandbox_clock (id, offset_seconds) values (1, 0);


-- Audit

-- AUD-1.
create trigger audit_events_append_only before update or delete or truncate on audit_events
for each statement execute function refuse_change_of_append_only_row();

-- The planner may plan a filter once for all values. With a thousand of each it takes the filter's own index, also for a rare value.
alter table audit_events alter column action set (n_distinct = 1000), alter column actor_id set (n_distinct = 1000),
  alter column subject_kind set (n_distinct = 1000);
alter table security_events alter column action set (n_distinct = 1000), alter column actor_id set (n_distinct = 1000),
  alter column subject_kind set (n_distinct = 1000);


-- Changes

-- CHG-1: numbers of the changes. A program reads them by their place; see change_place().
create sequence change_numbers;

-- The months of the log. They lie apart, because nobody addresses them.
create schema partitions;
-- Takes rows of a month without a partition, so that no command fails. Empty while the sweeper runs.
create table partitions.changes_rest partition of changes default;

-- Identifies the cluster and its timeline: a restored cluster has another identifier, a promoted standby another timeline.
create function database_line(out cluster bigint, out timeline int) language sql stable as $$
  select system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int from pg_control_system()
$$;

-- Numbers that an era may begin with. Minutes leave room for 2^24 transactions in each, so a later era is above the places of all earlier
-- ones, also of those that a restored backup lacks.
create function change_base(former bigint) returns bigint language sql stable as $$
  select greatest((extract(epoch from clock_timestamp())::bigint / 60) << 24, coalesce(former, 0) + (1 << 24))
$$;

-- CHG-2: returns the place of the present transaction in the log, and begins an era in another cluster or timeline. Under a lock until the
-- commit, so that no transaction writes into an era that has ended. Transactions that are open then have places in the new era too.
create function change_place() returns bigint language plpgsql as $$
declare
  here record;
  last change_eras;
begin
  select * into here from database_line();
  select * into last from change_eras order by base desc limit 1;
  if (last.cluster, last.timeline) is distinct from (here.cluster, here.timeline) then
    perform pg_advisory_xact_lock(7245004);
    select * into last from change_eras order by base desc limit 1;
  end if;
  if (last.cluster, last.timeline) is distinct from (here.cluster, here.timeline) then
    insert into change_eras (base, first_xid, cluster, timeline)
    values (change_base(last.base), pg_snapshot_xmin(pg_current_snapshot())::text::bigint, here.cluster, here.timeline)
    returning * into last;
  end if;
  return last.base + pg_current_xact_id()::text::bigint - last.first_xid;
end $$;

-- CHG-2: returns the end of the log for the present snapshot. All transactions below it have ended. In another cluster it is where the next
-- era begins at the earliest.
create function change_end() returns bigint language sql stable as $$
  select case
    when (e.cluster, e.timeline) = (l.cluster, l.timeline) then e.base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint - e.first_xid
    else change_base(e.base)
  end
  from database_line() l left join (select * from change_eras order by base desc limit 1) e on true
$$;

-- CHG-4: makes the partitions of this month and the next two, and drops those that ended more than ninety days ago. Runs as the owner of the
-- tables. Returns null after a short wait for a lock: commands wait behind it, and the sweeper calls again.
create function keep_change_partitions(present timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '300ms' as $$
declare
  first date := date_trunc('month', present);
  name text;
  changed int := 0;
begin
  -- Two sweepers must not make the same partition.
  perform pg_advisory_xact_lock(7245003);
  for n in 0..2 loop
    name := to_char(first + make_interval(months => n), '"changes_"YYYY_MM');
    continue when to_regclass('partitions.' || name) is not null;
    -- Such rows stay where they are.
    continue when exists (
      select from partitions.changes_rest
      where written_at >= first + make_interval(months => n) and written_at < first + make_interval(months => n + 1)
    );
    -- A table of its own first: creating a partition would lock out all commands.
    execute format('create table partitions.%I (like changes including defaults including constraints)', name);
    -- Without statistics the planner takes the index of an account or action for any value, also of an account with most of the rows.
    execute format(
      'alter table partitions.%I alter owner_id set statistics 0, alter organizer_id set statistics 0, alter action set statistics 0', name
    );
    execute format(
      'alter table changes attach partition partitions.%I for values from (%L) to (%L)',
      name, first + make_interval(months => n), first + make_interval(months => n + 1)
    );
    changed := changed + 1;
  end loop;
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'changes'::regclass and c.relname ~ '^changes_\d{4}_\d{2}$'
  loop
    if to_date(right(name, 7), 'YYYY_MM') + interval '1 month' < present - interval '91 days' then
      execute format('drop table partitions.%I', name);
      changed := changed + 1;
    end if;
  end loop;
  delete from partitions.changes_rest where written_at < present - interval '91 days';
  return changed;
exception when lock_not_available then
  return null;
end $$;

select keep_change_partitions(now());


-- Accounts

create trigger users_updated_at before update on users for each row
when (old.* is distinct from new.*) execute function keep_updated_at_growing();

select keep_list_totals('users', 'users', array['role', 'status'], false);

-- Digits are words apart from the letters beside them: `athlete17` and its like share one word.
create function words_apart(phrase text) returns text[] language sql immutable strict parallel safe as $$
  select calendar_words(regexp_replace(phrase, '([0-9]+)', ' \1 ', 'g'))
$$;

-- A telephone number stands behind a plus, with its country (`+7 701…`, `8 701…`) and without it. Beginnings of digits up to six
-- characters are words of their own: one digit begins a hundred thousand numbers, which no search should go through one by one.
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
$$;

-- A word as the beginning of words; a number of up to six characters is a word of its own (words_of_user).
create function beginning_of(word text) returns tsquery language sql immutable strict parallel safe as $$
  select ('''' || word || '''' || case when word ~ '^[+]?[0-9]+$' and length(word) <= 6 then '' else ':*' end)::tsquery
$$;

-- The first ten words of a phrase as beginnings of words that must all occur; a phrase of digits also as the beginning of a number.
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
$$;

-- The words of an account follow its name, e-mail and telephone number.
create function keep_words_of_user() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or (old.name, old.email, old.phone) is distinct from (new.name, new.email, new.phone) then
    insert into user_words (user_id, words) values (new.id, words_of_user(new.name, new.email, new.phone))
    on conflict (user_id) do update set words = excluded.words;
  end if;
  return null;
end $$;
-- The trigger names no column: a column that a trigger names cannot change its type.
create trigger users_words after insert or update on users
for each row execute function keep_words_of_user();


-- Notifications

-- NOT-5: an event gets its number at the commit, under a lock of the account: a number taken earlier could become visible after a greater
-- one, and a reader would miss it. The trigger runs for each row; the first one numbers all events of the transaction, in the order of
-- accounts, so that two transactions never wait for each other.
create sequence stream_sequence;
create function number_stream_events() returns trigger language plpgsql as $$
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
end $$;
create constraint trigger stream_events_numbered after insert on stream_events deferrable initially deferred
for each row execute function number_stream_events();


-- Webhooks

-- WHK-4: a delivery that waits has its subject.
create function note_webhook_subjects() returns trigger language plpgsql as $$
begin
  insert into webhook_subjects (webhook_id, subject, next_try_at)
  select webhook_id, subject, min(next_try_at) from added where state = 'waiting' and not is_test
  group by webhook_id, subject order by webhook_id, subject
  on conflict do nothing;
  return null;
end $$;
create trigger webhook_deliveries_subjects after insert on webhook_deliveries
referencing new table as added for each statement execute function note_webhook_subjects();

select keep_totals('webhooks', 'webhook', 'webhook', $${row}.status = 'enabled'$$);


-- Reviews

-- REV-2: the history of decisions is kept.
create trigger review_decisions_append_only before update or delete or truncate on review_decisions
for each statement execute function refuse_change_of_append_only_row();
-- VER-4.
create trigger review_standings_append_only before update or delete or truncate on review_standings
for each statement execute function refuse_change_of_append_only_row();


-- Catalog

-- CAT-5.
create trigger services_updated_at before update on services for each row
when (old.* is distinct from new.*) execute function keep_updated_at_growing();


-- Wallet

-- WAL-1: the entries of a transaction sum to zero at the commit.
create function ledger_transaction_sums_to_zero() returns trigger language plpgsql as $$
begin
  if (select coalesce(sum(amount_minor), 0) from ledger_entries where transaction_id = new.transaction_id) <> 0 then
    raise exception 'ledger transaction % does not sum to zero', new.transaction_id
      using errcode = 'check_violation', constraint = 'ledger_entries_sum_to_zero', table = 'ledger_entries';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_sum_to_zero after insert on ledger_entries
deferrable initially deferred for each row execute function ledger_transaction_sums_to_zero();

-- WAL-1: entries stay; a mistake is corrected by another transaction (WAL-10, WAL-11).
create trigger ledger_transactions_append_only before update or delete or truncate on ledger_transactions
for each statement execute function refuse_change_of_append_only_row();
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
for each statement execute function refuse_change_of_append_only_row();
-- WAL-5: what the bank answered stays.
create trigger bank_answers_append_only before update or delete or truncate on bank_answers
for each statement execute function refuse_change_of_append_only_row();

select keep_totals('invoices', 'invoice', 'invoice', $${row}.next_ask_at is not null$$);
select keep_list_totals('ledger_transactions', 'ledger', array['type'], true);

-- The overview's sums by kind of account.
create function tally_money() returns trigger language plpgsql as $$
begin
  insert into tally_changes (name, key, n)
  select 'money', split_part(account, ':', 1), sum(amount_minor) from fresh group by 2;
  return null;
end $$;
create trigger tally_made after insert on ledger_entries referencing new table as fresh
for each statement execute function tally_money();


-- Profiles

-- PRO-7.
create trigger profiles_updated_at before update on profiles for each row
when (old.* is distinct from new.*) execute function keep_updated_at_growing();

-- VER-4: a row for each new profile or photo, and for each change of what verification asks about.
create function keep_profile_standing() returns trigger language plpgsql as $$
begin
  insert into review_standings (subject_kind, subject_id, at, status, has_note, is_present)
  values ('profile', new.id, new.updated_at, new.status, new.review_note is not null, true);
  return null;
end $$;
create trigger profile_standing_made after insert on profiles for each row execute function keep_profile_standing();
create trigger profile_standing_changed after update on profiles for each row
when ((old.status, old.review_note is not null) is distinct from (new.status, new.review_note is not null))
execute function keep_profile_standing();

create function keep_photo_standing() returns trigger language plpgsql as $$
begin
  insert into review_standings (subject_kind, subject_id, at, status, has_note, is_present)
  values ('photo', new.id, new.updated_at, new.photo_status, new.photo_review_note is not null, new.photo_id is not null);
  return null;
end $$;
create trigger photo_standing_made after insert on profiles for each row execute function keep_photo_standing();
create trigger photo_standing_changed after update on profiles for each row
when ((old.photo_status, old.photo_review_note is not null, old.photo_id is not null)
  is distinct from (new.photo_status, new.photo_review_note is not null, new.photo_id is not null))
execute function keep_photo_standing();

select keep_totals('profiles', 'profile', 'profile',
  $$({row}.status in ('pending', 'changes') or {row}.photo_status in ('pending', 'changes'))$$);


-- Documents

-- DOC-6: a reminder is no change of what a document says, so it does not refuse a correction.
create trigger documents_updated_at before update on documents for each row
when (to_jsonb(old) - 'remind_at' is distinct from to_jsonb(new) - 'remind_at') execute function keep_updated_at_growing();

-- VER-4.
create function keep_document_standing() returns trigger language plpgsql as $$
begin
  insert into review_standings (subject_kind, subject_id, at, status, has_note, expires_at, is_present)
  values ('document', new.id, new.updated_at, new.status, new.review_note is not null, new.expires_at, true);
  return null;
end $$;
create trigger document_standing_made after insert on documents for each row execute function keep_document_standing();
create trigger document_standing_changed after update on documents for each row
when ((old.status, old.review_note is not null, old.expires_at) is distinct from (new.status, new.review_note is not null, new.expires_at))
execute function keep_document_standing();

select keep_totals('documents', 'document', 'document',
  $$({row}.status in ('pending', 'changes') or {row}.status = 'approved' and {row}.expires_at is not null)$$);


-- Credentials

-- The first change after an edition wakes the list's process three seconds later, so that many changes make one edition. A command that
-- saw an earlier change wakes nothing: its process looks again (src/areas/credentials/process.ts).
create function keep_status_list_change(changed int[]) returns void language plpgsql as $$
declare
  list int;
begin
  for list in select distinct c.list_id from credentials c where c.application_id = any (changed) order by 1 loop
    if not exists (select from status_list_changes where list_id = list) then
      insert into outbox (process, request_id, attempts, available_at, due_at)
      values ('status-list/' || list, 'status-list-' || list, 0, now() + interval '3 seconds', now() + interval '3 seconds');
    end if;
    insert into status_list_changes (list_id) values (list);
  end loop;
end $$;

-- VER-12: each step of an application may change the value of its certificate's place.
create function keep_application_status() returns trigger language plpgsql as $$
begin
  perform keep_status_list_change(array[new.application_id]);
  return null;
end $$;
create trigger application_status_kept after insert on application_history for each row execute function keep_application_status();

-- VER-12: so may a decision about a document, a profile or a photo behind it.
create function keep_standing_status() returns trigger language plpgsql as $$
begin
  if new.subject_kind = 'document' then
    perform keep_status_list_change(array(select application_id from application_documents where document_id = new.subject_id));
  else
    perform keep_status_list_change(array(select id from applications where profile_id = new.subject_id));
  end if;
  return null;
end $$;
create trigger standing_status_kept after insert on review_standings for each row execute function keep_standing_status();

select keep_totals('status_lists', 'status_list', 'status-list', 'true');


-- Applications

-- `updated_at` does not tell of the dates that a process notes for itself.
create trigger applications_updated_at before update on applications for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at}'::text[] is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at}'::text[])
execute function keep_updated_at_growing();

-- APP-18: an application that changed without a row of its history, for example by hand, gets one at the commit.
create function keep_application_history() returns trigger language plpgsql as $$
declare
  a applications;
  last application_history;
begin
  select * into a from applications where id = new.id;
  if not found then return null; end if;
  select * into last from application_history h where h.application_id = a.id order by h.id desc limit 1;
  if (last.revision, last.status, last.is_settled, last.is_resubmission_due)
    is distinct from (a.revision, a.status, a.paid or a.amount_minor = 0, a.resubmission_due_since is not null)
  then
    insert into application_history
      (application_id, at, step, actor, request_id, revision, status, is_settled, is_resubmission_due, document_ids)
    values (a.id, a.updated_at, 'carried_over', 'registry', 'unrecorded', a.revision, a.status, a.paid or a.amount_minor = 0,
      a.resubmission_due_since is not null,
      array(select l.document_id from application_documents l where l.application_id = a.id order by l.document_id));
  end if;
  return null;
end $$;
create constraint trigger application_history_complete_insert after insert on applications
deferrable initially deferred for each row execute function keep_application_history();
create constraint trigger application_history_complete_update after update on applications
deferrable initially deferred for each row
when ((old.revision, old.status, old.paid, old.resubmission_due_since)
  is distinct from (new.revision, new.status, new.paid, new.resubmission_due_since))
execute function keep_application_history();

create trigger application_history_append_only before update or delete or truncate on application_history
for each statement execute function refuse_change_of_append_only_row();

select keep_totals('applications', 'application', 'application', $${row}.status in ('draft', 'submitted', 'changes', 'approved')$$);


-- Competitions

create trigger events_updated_at before update on events for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at}'::text[] is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at}'::text[])
execute function keep_updated_at_growing();
-- REV-5: a reminder is no change of what a stage says.
create trigger event_stages_updated_at before update on event_stages for each row
when (to_jsonb(old) - 'reminded_at' is distinct from to_jsonb(new) - 'reminded_at') execute function keep_updated_at_growing();
create trigger additional_documents_updated_at before update on additional_documents for each row
when (old.* is distinct from new.*) execute function keep_updated_at_growing();
create trigger participants_updated_at before update on participants for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at}'::text[] is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at}'::text[])
execute function keep_updated_at_growing();

select keep_totals('events', 'event', 'event', $${row}.status in ('draft', 'in_progress', 'published')$$);

-- EVT-11: an event locks its organizer's profile, so that of two simultaneous changes, of the event and of the name, the second reads what
-- the first wrote. The lock is a statement of its own: the next one reads what was committed while it waited.
create function keep_calendar_entry() returns trigger language plpgsql as $$
begin
  if new.published_at is not null then
    perform 1 from profiles where id = new.profile_id for share;
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
end $$;
create trigger events_calendar_entry
after insert or update of published_at, starts_at, ends_at, discipline_id, profile_id, title, location on events
for each row execute function keep_calendar_entry();

-- An organizer with a new name is found by it.
create function keep_organizer_of_calendar_entries() returns trigger language plpgsql as $$
begin
  if new.kind = 'organizer' and old.name is distinct from new.name then
    update calendar_entries c set words = array_to_tsvector(calendar_words(concat_ws(' ', e.title, e.location, new.name)))
    from events e where e.profile_id = new.id and c.event_id = e.id;
  end if;
  return null;
end $$;
create trigger profiles_calendar_entries after update on profiles
for each row execute function keep_organizer_of_calendar_entries();


-- Registrations

create trigger registrations_updated_at before update on registrations for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at}'::text[] is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at}'::text[])
execute function keep_updated_at_growing();

create trigger registration_history_append_only before update or delete or truncate on registration_history
for each statement execute function refuse_change_of_append_only_row();

select keep_totals('registrations', 'registration', 'registration', $${row}.due_at is not null$$);


-- Agreements

-- That an administrator has seen the end of an agreement is no change of it.
create trigger contracts_updated_at before update on contracts for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at,unseen_since}'::text[]
  is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at,unseen_since}'::text[])
execute function keep_updated_at_growing();
create trigger contract_templates_updated_at before update on contract_templates for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at}'::text[] is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at}'::text[])
execute function keep_updated_at_growing();

-- AGR-9.
create trigger contract_template_versions_append_only before update or delete or truncate on contract_template_versions
for each statement execute function refuse_change_of_append_only_row();
-- AGR-8.
create trigger federation_signings_append_only before update or delete or truncate on federation_signings
for each statement execute function refuse_change_of_append_only_row();

select keep_totals('contracts', 'contract', 'agreement',
  $$({row}.status in ('generated', 'pending', 'rejected') and {row}.closed_at is null)$$);


-- Messages

-- MSG-3: a conversation about a registration comes with the first submission.
create function converse_about_new_registrations() returns trigger language plpgsql as $$
begin
  insert into conversations (kind, registration_id, athlete_id, organizer_id, created_at)
    select 'registration', r.id, r.owner_id, e.owner_id, r.submitted_at
    from fresh r join events e on e.id = r.event_id where r.submitted_at is not null order by r.id;
  return null;
end $$;
create trigger registrations_converse after insert on registrations referencing new table as fresh
for each statement execute function converse_about_new_registrations();

-- Also with a draft that is submitted later.
create function converse_about_submitted_registration() returns trigger language plpgsql as $$
begin
  insert into conversations (kind, registration_id, athlete_id, organizer_id, created_at)
    select 'registration', new.id, new.owner_id, e.owner_id, new.submitted_at from events e where e.id = new.event_id;
  return null;
end $$;
create trigger registrations_converse_later after update of submitted_at on registrations
for each row when (old.submitted_at is null and new.submitted_at is not null) execute function converse_about_submitted_registration();

-- MSG-6: conversations about registrations follow the owners of registration and event.
create function converse_with_new_athlete() returns trigger language plpgsql as $$
begin
  update conversations set athlete_id = new.owner_id where registration_id = new.id;
  return null;
end $$;
create trigger registrations_conversation_owner after update of owner_id on registrations
for each row when (old.owner_id <> new.owner_id) execute function converse_with_new_athlete();

create function converse_with_new_organizer() returns trigger language plpgsql as $$
begin
  update conversations c set organizer_id = new.owner_id
    from registrations r where r.event_id = new.id and c.registration_id = r.id;
  return null;
end $$;
create trigger events_conversation_owner after update of owner_id on events
for each row when (old.owner_id <> new.owner_id) execute function converse_with_new_organizer();


-- National

select keep_totals('national_exports', 'national_export', 'national-export', $${row}.due_at is not null$$);
select keep_list_totals('national_certificates', 'national',
  array['year', 'service_id', 'status', 'paid', 'insurance_exported', 'print_exported'], false);

-- Years, statuses and marks go together: counted apart, the certificates approved in a past year would seem to be many.
create statistics national_certificates_groups (mcv)
on year, service_id, status, paid, insurance_exported, print_exported from national_certificates;

-- The rows by which the list of national certificates is found. The triggers see all rows of a statement at once, so that a set costs
-- little more than one row.
create function national_words(id int) returns tsvector language sql stable parallel safe as $$
  select array_to_tsvector(calendar_words(concat_ws(' ', p.name, c.snapshot->>'holderName')))
  from applications a join profiles p on p.id = a.profile_id left join certificates c on c.application_id = a.id
  where a.id = national_words.id
$$;

-- A new application for a national certificate gets its row.
create function add_national_certificates() returns trigger language plpgsql as $$
begin
  insert into national_certificates (application_id, year, service_id, status, paid, words)
  select a.id, a.year, a.service_id, a.status, a.paid and a.refund_transaction_id is null, national_words(a.id)
  from added a where a.kind = 'national_certificate';
  return null;
end $$;
create trigger applications_national_certificates_added after insert on applications
referencing new table as added for each statement execute function add_national_certificates();

-- The row follows its application.
create function keep_national_certificates() returns trigger language plpgsql as $$
begin
  update national_certificates n
  set year = a.year, service_id = a.service_id, status = a.status, paid = a.paid and a.refund_transaction_id is null
  from changed a where n.application_id = a.id and a.kind = 'national_certificate'
    and (n.year, n.service_id, n.status, n.paid)
      is distinct from (a.year, a.service_id, a.status, a.paid and a.refund_transaction_id is null);
  return null;
end $$;
create trigger applications_national_certificates_changed after update on applications
referencing new table as changed for each statement execute function keep_national_certificates();

-- It is found by the name on the certificate too.
create function keep_printed_names() returns trigger language plpgsql as $$
begin
  update national_certificates n set words = c.words
  from (select application_id, national_words(application_id) as words from added) c
  where n.application_id = c.application_id and n.words is distinct from c.words;
  return null;
end $$;
create trigger certificates_national_certificates after insert on certificates
referencing new table as added for each statement execute function keep_printed_names();

-- And by the new name of its profile.
create function keep_names_of_national_certificates() returns trigger language plpgsql as $$
begin
  if old.name is distinct from new.name then
    update national_certificates n set words = national_words(n.application_id)
    from applications a where a.profile_id = new.id and n.application_id = a.id;
  end if;
  return null;
end $$;
create trigger profiles_national_certificates after update on profiles
for each row execute function keep_names_of_national_certificates();

-- NAT-10: a mark is never removed.
create function keep_export_marks() returns trigger language plpgsql as $$
begin
  update national_certificates n
  set insurance_exported = n.insurance_exported or m.insurance, print_exported = n.print_exported or m.print
  from (
    select application_id, bool_or(list = 'insurance') as insurance, bool_or(list = 'print') as print
    from marked where exported_at is not null group by application_id
  ) m
  where n.application_id = m.application_id;
  return null;
end $$;
create trigger national_export_records_insert after insert on national_export_records
referencing new table as marked for each statement execute function keep_export_marks();
create trigger national_export_records_update after update on national_export_records
referencing new table as marked for each statement execute function keep_export_marks();


-- Ownership

create trigger ownership_transfers_append_only before update or delete or truncate on ownership_transfers
for each statement execute function refuse_change_of_append_only_row();


-- Administration

create trigger process_actions_append_only before update or delete or truncate on process_actions
for each statement execute function refuse_change_of_append_only_row();

-- The profile and the account of a certificate. Uses certificates_number_unique.
create function certificate_holders(certificate_number text, out profile_id int, out owner_id int) returns setof record
language sql stable strict parallel safe rows 1 as $$
  select a.profile_id, a.owner_id from certificates c join applications a on a.id = c.application_id where c.number = certificate_number
$$;

-- The numbers of a profile's certificates. Uses applications_profile_index.
create function certificates_of(profile int) returns text language sql stable strict parallel safe as $$
  select string_agg(c.number, ' ') from applications a join certificates c on c.application_id = a.id where a.profile_id = profile
$$;

-- The rows by which administrators find athletes: the words of name, city and e-mail; the e-mail, the IIN and the id (behind a `#`, so
-- that no other number matches it) whole; the telephone number.

-- A number of this country with both beginnings that people write, and without one.
create function athlete_phones(digits text) returns text[] language sql immutable parallel safe as $$
  select case
    when digits ~ '^[78]?[0-9]{10}$' then array[right(digits, 10), '7' || right(digits, 10), '8' || right(digits, 10)]
    when digits <> '' then array[digits]
    else '{}'
  end
$$;
create function athlete_words(profile_id int, name text, data jsonb, iin text, email text) returns tsvector
language sql immutable parallel safe as $$
  select array_to_tsvector(
    calendar_words(concat_ws(' ', name, data->>'city', email))
    || array_remove(array['#' || profile_id, email, iin], null)
    || athlete_phones(regexp_replace(data->>'phone', '[^0-9]', '', 'g')))
$$;

-- An athlete's row follows the profile.
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
end $$;
create trigger profiles_athlete_entry after insert or update on profiles
for each row execute function keep_athlete_entry();

-- And the e-mail of its owner.
create function keep_email_of_athlete_entries() returns trigger language plpgsql as $$
begin
  if old.email is distinct from new.email then
    update athlete_entries e set words = athlete_words(p.id, p.name, p.data, p.iin, new.email)
    from profiles p where p.owner_id = new.id and e.profile_id = p.id;
  end if;
  return null;
end $$;
create trigger users_athlete_entries after update on users
for each row execute function keep_email_of_athlete_entries();

-- ADM-2: the years of national certificates of an athlete, latest first. A certificate counts as issued until it is annulled (APP-21). An
-- approved one may get its certificate after this trigger, in the same transaction.
create function years_of_athlete(athlete int) returns table (issued int[], pending int[]) language sql stable as $$
  select array_agg(distinct a.year order by a.year desc)
      filter (where a.status = 'approved' or (a.status in ('submitted', 'changes', 'closed') and c.application_id is not null)),
    array_agg(distinct a.year order by a.year desc) filter (where a.status in ('submitted', 'changes'))
  from applications a left join certificates c on c.application_id = a.id
  where a.profile_id = athlete and a.kind = 'national_certificate'
$$;

-- And the applications. A draft is made and deleted without it.
create function keep_years_of_athlete_entry() returns trigger language plpgsql as $$
declare
  athlete int;
begin
  if tg_op = 'DELETE' then
    athlete := old.profile_id;
  else
    athlete := new.profile_id;
  end if;
  -- A simultaneous change of another application of the athlete waits here, and then sees this one.
  perform 1 from athlete_entries where profile_id = athlete for no key update;
  update athlete_entries e
  set issued_year = y.issued[1], earlier_issued_year = y.issued[2], pending_year = y.pending[1], earlier_pending_year = y.pending[2]
  from years_of_athlete(athlete) y
  where e.profile_id = athlete and (e.issued_year, e.earlier_issued_year, e.pending_year, e.earlier_pending_year)
    is distinct from (y.issued[1], y.issued[2], y.pending[1], y.pending[2]);
  return null;
end $$;
create trigger applications_athlete_entry_insert after insert on applications
for each row when (new.kind = 'national_certificate' and new.status <> 'draft') execute function keep_years_of_athlete_entry();
create trigger applications_athlete_entry_update after update on applications
for each row when (new.kind = 'national_certificate' and (old.status, old.year) is distinct from (new.status, new.year))
execute function keep_years_of_athlete_entry();
create trigger applications_athlete_entry_delete after delete on applications
for each row when (old.kind = 'national_certificate' and old.status <> 'draft') execute function keep_years_of_athlete_entry();


-- Grants
--
-- The login of the API and the workers is a member of `registry_application` and owns nothing. It reads every table; a migration grants
-- what it writes. To lock a row takes the right to change it. A foreign key deletes rows with their parent without a right.

do $$ begin
  if not exists (select from pg_roles where rolname = 'registry_application') then create role registry_application nologin; end if;
exception when duplicate_object or unique_violation then null;
end $$;
grant usage on schema public to registry_application;
grant select on all tables in schema public to registry_application;
grant usage, select on all sequences in schema public to registry_application;
alter default privileges in schema public grant select on tables to registry_application;
alter default privileges in schema public grant usage, select on sequences to registry_application;

-- Platform
grant insert, delete on receipts, private_inputs, tally_changes to registry_application;
grant insert, update, delete on idempotent_requests, outbox, cursors, process_troubles to registry_application;
grant update on sandbox_clock to registry_application;
grant insert on sandbox_clock_moves to registry_application;
grant insert, update on tallies to registry_application;
-- Audit
grant insert on audit_events to registry_application;
grant insert, update, delete on security_events to registry_application;
-- Changes
grant usage on schema partitions to registry_application;
grant insert on change_eras, changes to registry_application;
grant insert, update, delete on change_waiters to registry_application;
-- The one function that runs as the owner of the tables.
revoke all on function keep_change_partitions from public;
grant execute on function keep_change_partitions to registry_application;
-- Accounts
grant insert, update on users, user_words, api_keys, contact_messages to registry_application;
grant insert, update, delete on sessions, second_factors, captchas, password_resets, email_confirmations, attempt_counts to
  registry_application;
grant insert on second_factor_removals to registry_application;
grant insert, delete on request_records to registry_application;
-- Notifications
grant insert, update on notifications, notification_preferences to registry_application;
grant insert, delete, update (attempts, deferrals, next_try_at, lease_id, leased_until) on notification_deliveries to registry_application;
grant insert, update, delete on stream_events to registry_application;
grant insert, update on streams to registry_application;
-- Webhooks
grant insert, update, delete on webhooks, webhook_deliveries, webhook_subjects to registry_application;
-- Reviews
grant insert on review_decisions, review_standings to registry_application;
grant insert, update on incidents to registry_application;
-- Catalog
grant update on services to registry_application;
grant insert, delete on service_disciplines to registry_application;
grant insert, update on base_indexes to registry_application;
-- Files
grant insert, update on files to registry_application;
-- Wallet
grant insert, update on wallets, invoices to registry_application;
grant insert on ledger_transactions, ledger_entries, bank_answers to registry_application;
-- Profiles
grant insert, update, delete on profiles to registry_application;
-- Documents
grant insert, update, delete on documents to registry_application;
-- Credentials
grant insert, update on signing_keys, status_lists, credentials to registry_application;
grant insert, delete on status_list_changes to registry_application;
-- Applications
grant insert, update, delete on applications to registry_application;
grant insert, delete on application_documents to registry_application;
grant insert on application_history to registry_application;
grant insert, update on certificates, number_series to registry_application;
-- Competitions
grant insert, update on events, event_stages, registration_settings to registry_application;
grant insert, update, delete on additional_documents, participants, calendar_entries to registry_application;
-- Registrations
grant insert, update, delete on registrations, registration_documents to registry_application;
grant insert, delete on registration_licences, registration_crew to registry_application;
grant insert on registration_history to registry_application;
-- Agreements
grant insert on federation_signings, contract_template_versions to registry_application;
grant insert, update on contract_templates, contracts to registry_application;
-- Messages
grant insert, update on conversations to registry_application;
grant insert, update (read_at) on messages to registry_application;
-- Messaging bot
grant insert, update, delete on bot_links to registry_application;
grant insert, delete on bot_updates to registry_application;
-- National
grant insert, delete on national_list_entries to registry_application;
grant insert, update on national_exports, national_export_records, national_certificates to registry_application;
-- Ownership
grant insert on ownership_transfers to registry_application;
-- Administration
grant insert, update on athlete_entries to registry_application;
grant insert on process_actions to registry_application;
