-- The tables as the entities say, from the lowest area to the uppermost. `npm run migration:check` finds an entity that differs.
-- A number such as APP-1 names the rule of docs/rules/ that a constraint enforces.


-- Platform

-- Commands of processes that took effect without an Idempotency-Key; a retried step finds its row here.
create table receipts (
  workflow_id varchar(100) not null, command_id varchar(100) not null, at timestamptz not null, primary key (workflow_id, command_id)
);
create index receipts_at_index on receipts (at);

-- API-6: requests with an Idempotency-Key that took effect.
create table idempotent_requests (
  id varchar(64) not null, fingerprint varchar(100) not null, is_committed boolean not null, is_answered boolean not null, sealed text,
  created_at timestamptz not null, primary key (id)
);
create index idempotent_requests_created_index on idempotent_requests (created_at);

create table sandbox_clock (
  id int not null, offset_seconds bigint not null default '0', primary key (id),
  constraint sandbox_clock_single_row check (id = 1), -- One clock for the API and all workers.
  constraint sandbox_clock_forwards check (offset_seconds >= 0) -- SBX-1: the clock moves forwards only.
);

create table sandbox_clock_moves (id serial primary key, at timestamptz not null, offset_seconds bigint not null);
create index sandbox_clock_moves_at_index on sandbox_clock_moves (at, offset_seconds);

create table private_inputs (id uuid not null, body jsonb not null, created_at timestamptz not null, primary key (id));
create index private_inputs_created_index on private_inputs (created_at);

create table outbox (
  id bigserial primary key, process varchar(100) not null, request_id varchar(64) not null, start jsonb, attempts int not null default 0,
  available_at timestamptz not null, due_at timestamptz not null default now()
);
create index outbox_available_index on outbox (available_at);

create table cursors (
  name varchar(100) not null, after_id int not null, after_at timestamptz, after_key varchar(200), updated_at timestamptz not null,
  primary key (name)
);

create table process_troubles (
  process varchar(100) not null, step varchar(60) not null, kind varchar(40) not null, record_id int not null, since timestamptz not null,
  at timestamptz not null, tries int not null, code varchar(60) not null, is_stuck boolean not null, primary key (process, step)
);
create index process_troubles_stuck_index on process_troubles (since, process) where is_stuck;

create table tallies (name varchar(40) not null, key varchar(60) not null, n bigint not null, primary key (name, key));

create table tally_changes (id bigserial primary key, name varchar(40) not null, key varchar(60) not null, n bigint not null);


-- Audit

create table audit_events (
  id serial primary key, action varchar(80) not null, actor_id int, impersonated_user_id int, subject_kind varchar(40) not null,
  subject_id varchar(60) not null, ip varchar(64), request_id varchar(64) not null, at timestamptz not null, data jsonb not null
);
create index audit_events_at_index on audit_events (at, id);
create index audit_events_action_index on audit_events (action, at, id);
create index audit_events_subject_index on audit_events (subject_kind, subject_id, at, id);
create index audit_events_kind_index on audit_events (subject_kind, at, id);
create index audit_events_actor_index on audit_events (actor_id, at, id);
create index audit_events_request_index on audit_events (request_id, at, id);

create table security_events (
  id bigserial primary key, action varchar(80) not null, actor_id int, impersonated_user_id int, subject_kind varchar(40) not null,
  subject_id varchar(60) not null, ip varchar(64), request_id varchar(64) not null, at timestamptz not null, count int not null,
  data jsonb not null, fingerprint varchar(64) not null,
  constraint security_events_fingerprint_unique unique (fingerprint) -- AUD-6: one row counts the refusals of one kind within a minute.
);
create index security_events_at_index on security_events (at, id);
create index security_events_action_index on security_events (action, at, id);
create index security_events_subject_index on security_events (subject_kind, subject_id, at, id);
create index security_events_kind_index on security_events (subject_kind, at, id);
create index security_events_actor_index on security_events (actor_id, at, id);
create index security_events_request_index on security_events (request_id, at, id);


-- Changes

-- CHG-2: places of a cluster and its timeline.
create table change_eras (
  base bigint not null, first_xid bigint not null, cluster bigint not null, timeline int not null,
  began_at timestamptz not null default now(), primary key (base)
);

-- CHG-2: the log of changes, by month.
create table changes (
  place bigint not null, id bigint not null, written_at timestamptz not null default now(), at timestamptz not null,
  action varchar(80) not null, subject_kind varchar(40) not null, subject_id varchar(60) not null, parent_id int, status varchar(20),
  owner_id int, organizer_id int, primary key (place, id, written_at)
) partition by range (written_at);
create index changes_action_index on changes (action, place, id);
create index changes_owner_index on changes (owner_id, place, id) where owner_id is not null;
create index changes_owner_action_index on changes (owner_id, action, place, id) where owner_id is not null;
create index changes_organizer_index on changes (organizer_id, place, id) where organizer_id is not null;
create index changes_organizer_action_index on changes (organizer_id, action, place, id) where organizer_id is not null;

-- CHG-6: processes that the next change wakes.
create table change_waiters (process varchar(120) not null, user_id int, primary key (process));
create index change_waiters_user_index on change_waiters (user_id);


-- Accounts

create table users (
  id serial primary key, email varchar(254) not null, password_hash varchar(255) not null, name varchar(200) not null, phone varchar(40),
  role varchar(20) not null default 'user', status varchar(20) not null default 'active', language varchar(2) not null default 'ru',
  email_confirmed boolean not null default true, second_factor boolean not null default false, rights_narrowed_at timestamptz,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint users_email_unique unique (email),
  constraint users_email_lower check (email = lower(email)), -- E-mails are compared in lower case.
  constraint users_role_known check (role in ('user', 'administrator')),
  constraint users_status_known check (status in ('active', 'blocked')),
  constraint users_language_known check (language in ('ru', 'kk', 'en'))
);
create index users_role_index on users (role, id);
create index users_status_index on users (status, id);

create table user_words (
  user_id int not null, words tsvector not null, primary key (user_id),
  constraint user_words_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade
);
create index user_words_index on user_words using gin (words) with (fastupdate = off);

create table sessions (
  id uuid not null, token_hash varchar(64) not null, user_id int, csrf_token varchar(64) not null, created_at timestamptz not null,
  last_seen_at timestamptz not null, expires_at timestamptz not null, ip varchar(64), user_agent varchar(200),
  waits_for_second_factor boolean not null default false, impersonated_user_id int, impersonation_started_at timestamptz,
  impersonation_expires_at timestamptz, primary key (id),
  constraint sessions_token_unique unique (token_hash),
  -- ACC-13: an impersonation names the account, its begin and its end.
  constraint sessions_impersonation_whole
    check (num_nulls(impersonated_user_id, impersonation_started_at, impersonation_expires_at) in (0, 3)),
  constraint sessions_user_fk foreign key (user_id) references users (id) on delete cascade,
  constraint sessions_impersonated_user_fk foreign key (impersonated_user_id) references users (id) on delete cascade
);
create index sessions_user_index on sessions (user_id);
create index sessions_expiry_index on sessions (expires_at);
create index sessions_last_seen_index on sessions (last_seen_at);
create index sessions_impersonated_user_index on sessions (impersonated_user_id) where impersonated_user_id is not null;
create index sessions_impersonation_expiry_index on sessions (impersonation_expires_at) where impersonation_expires_at is not null;

create table second_factors (
  user_id int not null, secret text, pending_secret text, last_step int not null default 0, recovery_code_hashes text[] not null,
  confirmed_at timestamptz, created_at timestamptz not null, primary key (user_id),
  constraint second_factors_confirmed_whole check (num_nulls(secret, confirmed_at) in (0, 2)),
  constraint second_factors_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade
);

create table second_factor_removals (
  id serial primary key, user_id int not null, reason text not null, request_id varchar(64) not null, at timestamptz not null,
  constraint second_factor_removals_user_fk foreign key (user_id) references users (id)
);

create table api_keys (
  id serial primary key, user_id int not null, name varchar(100) not null, prefix varchar(12) not null, key_hash varchar(64) not null,
  scopes text[] not null, expires_at timestamptz not null, created_at timestamptz not null, last_used_at timestamptz,
  revoked_at timestamptz,
  constraint api_keys_hash_unique unique (key_hash),
  constraint api_keys_user_fk foreign key (user_id) references users (id)
);
create index api_keys_user_index on api_keys (user_id);

create table captchas (
  id uuid not null, session_id uuid not null, purpose varchar(20) not null, answer_hash varchar(64) not null,
  expires_at timestamptz not null, closed_at timestamptz, closed_by varchar(20), created_at timestamptz not null, primary key (id),
  constraint captchas_session_fk foreign key (session_id) references sessions (id) on delete cascade
);
create index captchas_session_index on captchas (session_id);
create index captchas_expiry_index on captchas (expires_at) where closed_at is null;
create index captchas_closed_index on captchas (expires_at) where closed_at is not null;
-- ACC-5: a session has one open captcha.
create unique index captchas_open_unique on captchas (session_id) where closed_at is null;

create table password_resets (
  id serial primary key, user_id int not null, token_hash varchar(64) not null, expires_at timestamptz not null, closed_at timestamptz,
  closed_by varchar(20), created_at timestamptz not null,
  constraint password_resets_token_unique unique (token_hash),
  constraint password_resets_user_fk foreign key (user_id) references users (id)
);
create index password_resets_expiry_index on password_resets (expires_at) where closed_at is null;
create index password_resets_closed_index on password_resets (expires_at) where closed_at is not null;
-- ACC-6: an account has one open recovery link.
create unique index password_resets_open_unique on password_resets (user_id) where closed_at is null;

create table email_confirmations (
  id serial primary key, user_id int not null, token_hash varchar(64) not null, expires_at timestamptz not null, closed_at timestamptz,
  closed_by varchar(20), created_at timestamptz not null,
  constraint email_confirmations_token_unique unique (token_hash),
  constraint email_confirmations_user_fk foreign key (user_id) references users (id)
);
create index email_confirmations_expiry_index on email_confirmations (expires_at) where closed_at is null;
create index email_confirmations_closed_index on email_confirmations (expires_at) where closed_at is not null;
-- ACC-24: an account has one open confirmation link.
create unique index email_confirmations_open_unique on email_confirmations (user_id) where closed_at is null;

create table contact_messages (
  id serial primary key, name varchar(200) not null, email varchar(254) not null, message text not null,
  status varchar(20) not null default 'new', created_at timestamptz not null, answered_at timestamptz, answered_by int, answer_note text,
  constraint contact_messages_answerer_fk foreign key (answered_by) references users (id) on delete set null
);
create index contact_messages_queue_index on contact_messages (created_at) where status = 'new';

create table attempt_counts (key varchar(150) not null, count int not null, resets_at timestamptz not null, primary key (key));
create index attempt_counts_reset_index on attempt_counts (resets_at);

create table request_records (
  id bigserial primary key, user_id int not null, key_id int, request_id varchar(64) not null, method varchar(10) not null,
  route varchar(120) not null, status smallint not null, code varchar(60), duration_ms int not null, at timestamptz not null
);
create index request_records_user_index on request_records (user_id, id);
create index request_records_user_status_index on request_records (user_id, status, id);
create index request_records_key_index on request_records (key_id, id) where key_id is not null;
create index request_records_key_status_index on request_records (key_id, status, id) where key_id is not null;
create index request_records_at_index on request_records (at);


-- Notifications

create table notifications (
  id serial primary key, user_id int not null, type varchar(60) not null, subject_kind varchar(40) not null,
  subject_id varchar(60) not null, facts jsonb not null default '{}', title varchar(200), text text, created_at timestamptz not null,
  read_at timestamptz,
  constraint notifications_user_fk foreign key (user_id) references users (id)
);
create index notifications_user_index on notifications (user_id, id);
create index notifications_unread_index on notifications (user_id, id) where read_at is null;

create table notification_preferences (
  user_id int not null, type varchar(60) not null, mail boolean not null, bot boolean not null, primary key (user_id, type),
  constraint notification_preferences_user_fk foreign key (user_id) references users (id)
);

create table notification_deliveries (
  id bigserial primary key, notification_id int not null, user_id int not null, channel varchar(10) not null,
  created_at timestamptz not null, request_id varchar(64) not null, attempts int not null default 0, deferrals int not null default 0,
  next_try_at timestamptz not null, lease_id uuid, leased_until timestamptz,
  constraint notification_deliveries_once unique (notification_id, channel), -- NOT-1: once for a fact and a channel.
  constraint notification_deliveries_channel_known check (channel in ('mail', 'bot')),
  constraint notification_deliveries_notification_fk foreign key (notification_id) references notifications (id),
  constraint notification_deliveries_user_fk foreign key (user_id) references users (id)
);
create index notification_deliveries_line_index on notification_deliveries (user_id, channel, id);
create index notification_deliveries_due_index on notification_deliveries (channel, next_try_at, id);
create index notification_deliveries_waiting_index on notification_deliveries (channel, created_at);

create table stream_events (
  id bigserial primary key, user_id int not null, sequence bigint, kind varchar(20) not null, subject_id bigint not null,
  created_at timestamptz not null,
  constraint stream_events_sequence_unique unique (user_id, sequence), -- NOT-5: the events of an account have one order.
  constraint stream_events_kind_known check (kind in ('notification', 'message')),
  constraint stream_events_user_fk foreign key (user_id) references users (id)
);
create index stream_events_unnumbered_index on stream_events (id) where sequence is null;
create index stream_events_created_index on stream_events (created_at);

create table streams (
  user_id int not null, first_sequence bigint not null default '0', last_sequence bigint not null default '0', primary key (user_id),
  constraint streams_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade
);


-- Webhooks

create table webhooks (
  id serial primary key, user_id int not null, status varchar(20) not null default 'enabled', disabled_by varchar(20), key_id int,
  url varchar(2000) not null, types text[] not null, description varchar(200), sees_all boolean not null, secret text not null,
  former_secret text, former_until timestamptz, place bigint not null, change_id bigint not null, position_at timestamptz not null,
  next_try_at timestamptz, failing_since timestamptz, failed_in_row int not null default 0, rests_until timestamptz,
  last_tried_at timestamptz, last_status smallint, last_problem varchar(40), created_at timestamptz not null,
  updated_at timestamptz not null, due_at timestamptz
);
create index webhooks_user_index on webhooks (user_id, id);
create index webhooks_due_index on webhooks (due_at, id) where due_at is not null;
create index webhooks_enabled_index on webhooks (id) where status = 'enabled';
create index webhooks_key_index on webhooks (key_id) where key_id is not null;
create index webhooks_deleted_index on webhooks (updated_at) where status = 'deleted';

create table webhook_deliveries (
  id bigserial primary key, webhook_id int not null, state varchar(20) not null default 'waiting', message_id varchar(80) not null,
  type varchar(120) not null, subject varchar(110) not null, body text not null, is_test boolean not null, is_own boolean not null,
  tries int not null default 0, next_try_at timestamptz not null, tried_at timestamptz, status smallint, problem varchar(40),
  duration_ms int, answer text, created_at timestamptz not null,
  constraint webhook_deliveries_webhook_fk foreign key (webhook_id) references webhooks (id)
);
create index webhook_deliveries_list_index on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_state_index on webhook_deliveries (webhook_id, state, id);
create index webhook_deliveries_created_index on webhook_deliveries (created_at);
create index webhook_deliveries_subject_index on webhook_deliveries (webhook_id, subject, id) where state = 'waiting' and not is_test;
create index webhook_deliveries_test_index on webhook_deliveries (webhook_id, id) where state = 'waiting' and is_test;

-- WHK-4: records whose deliveries wait.
create table webhook_subjects (
  webhook_id int not null, subject varchar(110) not null, next_try_at timestamptz not null, failing_since timestamptz,
  attempts int not null default 0, last_status smallint, primary key (webhook_id, subject),
  constraint webhook_subjects_webhook_fk foreign key (webhook_id) references webhooks (id) on delete cascade
);
create index webhook_subjects_ready_index on webhook_subjects (webhook_id, next_try_at) where failing_since is null;
create index webhook_subjects_retry_index on webhook_subjects (webhook_id, next_try_at) where failing_since is not null;
create index webhook_subjects_failing_index on webhook_subjects (webhook_id, failing_since) where failing_since is not null;


-- Reviews

create table review_decisions (
  id serial primary key, subject_kind varchar(40) not null, subject_id int not null, decision varchar(20) not null, note text,
  from_status varchar(20) not null, to_status varchar(20) not null, actor_id int not null, request_id varchar(64) not null,
  at timestamptz not null,
  constraint review_decisions_actor_fk foreign key (actor_id) references users (id)
);
create index review_decisions_subject_index on review_decisions (subject_kind, subject_id, id);

-- VER-4: how records stood, for answers about a past day.
create table review_standings (
  id bigserial primary key, subject_kind varchar(20) not null, subject_id int not null, at timestamptz not null,
  status varchar(20) not null, has_note boolean not null, expires_at date, is_present boolean not null
);
create index review_standings_subject_index on review_standings (subject_kind, subject_id, id);

create table incidents (
  id serial primary key, kind varchar(60) not null, subject_kind varchar(40) not null, subject_id varchar(60) not null,
  details jsonb not null, at timestamptz not null, resolved_at timestamptz, resolved_by int, resolution text, transaction_id int,
  constraint incidents_once unique (kind, subject_kind, subject_id), -- REV-4: an incident is raised once for its record.
  constraint incidents_resolver_fk foreign key (resolved_by) references users (id) on delete set null
);
create index incidents_queue_index on incidents (at) where resolved_at is null;
create index incidents_transaction_index on incidents (transaction_id) where transaction_id is not null;


-- Catalog

create table services (
  id int not null, code varchar(60) not null, kind varchar(40) not null, title jsonb not null, category varchar(40),
  profile_kind varchar(20) not null, mrp numeric(12,4) not null, cis_mrp numeric(12,4), required_documents jsonb not null,
  insurance_coverage_mrp int, active boolean not null default true, updated_at timestamptz not null, primary key (id),
  constraint services_code_unique unique (code),
  constraint services_kind_known check (kind in ('national_certificate', 'international_licence', 'document', 'event_fee')),
  constraint services_mrp_not_negative check (mrp >= 0 and (cis_mrp is null or cis_mrp >= 0))
);

create table disciplines (
  id int not null, code varchar(60) not null, title jsonb not null, active boolean not null default true, primary key (id),
  constraint disciplines_code_unique unique (code)
);

create table service_disciplines (
  service_id int not null, discipline_id int not null, primary key (service_id, discipline_id),
  constraint service_disciplines_service_fk foreign key (service_id) references services (id) on update cascade on delete cascade,
  constraint service_disciplines_discipline_fk foreign key (discipline_id) references disciplines (id) on update cascade on delete cascade
);

create table base_indexes (
  year int not null, amount_minor bigint not null, in_use boolean not null default false, primary key (year),
  constraint base_indexes_amount_positive check (amount_minor > 0) -- CAT-1: a price needs an amount above zero.
);


-- Files

create table files (
  id uuid not null, owner_id int not null, purpose varchar(40) not null, name varchar(255) not null, mime varchar(100) not null,
  size int not null, sha256 varchar(64) not null, width int, height int, pages int, storage_key varchar(200) not null,
  created_at timestamptz not null, deleted_at timestamptz, purged_at timestamptz, primary key (id),
  -- FIL-1: uploads have at most 20 MB. FIL-6: made files may be larger.
  constraint files_size_range check (size >= 1 and size <= case when mime in
    ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/zip') then 524288000 else 20971520 end),
  constraint files_owner_fk foreign key (owner_id) references users (id)
);
create index files_storage_key_index on files (storage_key);
create index files_owner_index on files (owner_id, created_at);
create index files_kept_index on files (owner_id, size) where purged_at is null;
create index files_purge_index on files (deleted_at) where deleted_at is not null and purged_at is null;


-- Wallet

create table wallets (
  user_id int not null, balance_minor bigint not null default '0', primary key (user_id),
  constraint wallets_balance_not_negative check (balance_minor >= 0), -- WAL-2: a wallet never falls below zero.
  constraint wallets_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade
);

create table ledger_transactions (
  id serial primary key, type varchar(40) not null, reference varchar(100) not null, reversal_of int, application_id int, invoice_id int,
  reason text, flags text[] not null, actor_id int, request_id varchar(64) not null, at timestamptz not null,
  -- WAL-9, WAL-12: one transaction for a reference, whatever is repeated.
  constraint ledger_transactions_reference_unique unique (reference),
  constraint ledger_transactions_reversal_unique unique (reversal_of) -- WAL-11: a transaction is reversed at most once.
);
create index ledger_transactions_at_index on ledger_transactions (at, id);
create index ledger_transactions_type_index on ledger_transactions (type, at, id);

create table ledger_entries (
  id serial primary key, transaction_id int not null, account varchar(60) not null, amount_minor bigint not null,
  currency varchar(3) not null default 'KZT',
  constraint ledger_entries_amount_not_zero check (amount_minor <> 0),
  constraint ledger_entries_transaction_fk foreign key (transaction_id) references ledger_transactions (id)
);
create index ledger_entries_transaction_index on ledger_entries (transaction_id);
create index ledger_entries_account_index on ledger_entries (account, id);

create table invoices (
  id serial primary key, owner_id int not null, number varchar(15) not null, amount_minor bigint not null,
  currency varchar(3) not null default 'KZT', status varchar(20) not null default 'created', idempotency_key varchar(255) not null,
  bank_reference varchar(100), late boolean not null default false, paid_at timestamptz, expires_at timestamptz not null,
  last_asked_at timestamptz, last_answered_at timestamptz, hinted_at timestamptz, next_ask_at timestamptz, asked int not null default 0,
  created_at timestamptz not null, updated_at timestamptz not null,
  constraint invoices_number_unique unique (number),
  constraint invoices_idempotency_unique unique (owner_id, idempotency_key), -- WAL-4: one invoice for a key.
  constraint invoices_bank_reference_unique unique (bank_reference), -- WAL-9: a payment of the bank is credited once.
  constraint invoices_amount_range check (amount_minor >= 10000 and amount_minor <= 500000000), -- WAL-3: between 100.00 and 5,000,000.00 KZT.
  constraint invoices_status_known check (status in ('created', 'pending', 'paid', 'failed', 'expired', 'mismatch')),
  constraint invoices_owner_fk foreign key (owner_id) references users (id)
);
create index invoices_owner_index on invoices (owner_id, id);
create index invoices_owner_status_index on invoices (owner_id, status, id);
create index invoices_owner_open_index on invoices (owner_id, expires_at) where status in ('created', 'pending');
create index invoices_living_index on invoices (id) where next_ask_at is not null;
create index invoices_open_index on invoices (next_ask_at, id) where next_ask_at is not null;

create table bank_answers (
  id serial primary key, invoice_id int not null, state varchar(20) not null, invoice_number varchar(40) not null,
  amount_minor bigint not null, currency varchar(10) not null, terminal varchar(60) not null, reference varchar(100),
  verdict varchar(40) not null, at timestamptz not null,
  constraint bank_answers_invoice_fk foreign key (invoice_id) references invoices (id)
);
create index bank_answers_invoice_index on bank_answers (invoice_id, id);


-- Profiles

create table profiles (
  id serial primary key, owner_id int not null, kind varchar(20) not null, name varchar(400) not null, data jsonb not null, iin varchar(12),
  photo_id uuid, status varchar(20) not null default 'draft', photo_status varchar(20) not null default 'draft', review_note text,
  photo_review_note text, is_corrected boolean not null default false, is_photo_corrected boolean not null default false,
  ever_approved boolean not null default false, duplicate_iin boolean not null default false, submitted_at timestamptz,
  status_since timestamptz not null default now(), photo_status_since timestamptz not null default now(), created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint profiles_kind_known check (kind in ('athlete', 'organizer')),
  constraint profiles_status_known check (status in ('draft', 'pending', 'approved', 'changes', 'cancelled')),
  constraint profiles_photo_status_known check (photo_status in ('draft', 'pending', 'approved', 'changes', 'cancelled')),
  constraint profiles_owner_fk foreign key (owner_id) references users (id),
  constraint profiles_photo_fk foreign key (photo_id) references files (id) on delete set null
);
create index profiles_owner_index on profiles (owner_id);
create index profiles_iin_index on profiles (iin) where iin is not null;
create index profiles_queue_index on profiles (status_since, id) where status = 'pending';
create index profiles_photo_queue_index on profiles (photo_status_since, id) where photo_status = 'pending';
create index profiles_living_index on profiles (id) where (status in ('pending', 'changes') or photo_status in ('pending', 'changes'));
-- PRO-1: an account has at most one athlete profile of one IIN.
create unique index profiles_one_athlete_per_iin on profiles (owner_id, iin) where kind = 'athlete' and iin is not null;

create table archived_vehicles (
  id serial primary key, profile_id int not null, data jsonb not null, archived_at timestamptz not null,
  constraint archived_vehicles_profile_fk foreign key (profile_id) references profiles (id) on delete cascade
);
create index archived_vehicles_profile_index on archived_vehicles (profile_id, id);


-- Documents

create table documents (
  id serial primary key, profile_id int not null, type varchar(40) not null, file_id uuid not null, number varchar(100), country varchar(2),
  issued_at date, expires_at date, status varchar(20) not null default 'pending', review_note text, decided_at timestamptz,
  status_since timestamptz not null default now(), remind_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
  constraint documents_status_known check (status in ('pending', 'approved', 'changes', 'cancelled', 'expired')),
  -- DOC-4: issued_at is not after expires_at.
  constraint documents_dates_ordered check (issued_at is null or expires_at is null or issued_at <= expires_at),
  constraint documents_profile_fk foreign key (profile_id) references profiles (id),
  constraint documents_file_fk foreign key (file_id) references files (id)
);
create index documents_profile_index on documents (profile_id);
create index documents_file_index on documents (file_id);
create index documents_queue_index on documents (status_since, id) where status = 'pending';
create index documents_returned_index on documents (status_since, id) where status = 'changes';
create index documents_expiry_index on documents (expires_at, id) where (expires_at is not null and status in ('pending', 'approved',
  'changes') and (status <> 'changes' or decided_at is null or decided_at < (expires_at + 1)::timestamp at time zone interval '5 hours'));
create index documents_reminder_index on documents (remind_at, id) where (remind_at is not null and status = 'approved');
create index documents_living_index on documents (id)
  where (status in ('pending', 'approved', 'changes') and (status <> 'approved' or expires_at is not null));


-- Credentials

create table signing_keys (
  kid varchar(43) not null, public_key varchar(43) not null, private_key text not null, published_at timestamptz not null,
  signs_from timestamptz not null, last_signed_at timestamptz, primary key (kid)
);

create table status_lists (
  id int not null, status varchar(20) not null default 'open', opened_at timestamptz not null, edition int not null default 0,
  issued_at timestamptz, expires_at timestamptz, cwt bytea, jwt text, due_at timestamptz, primary key (id)
);
create index status_lists_due_index on status_lists (due_at, id) where due_at is not null;

create table status_list_changes (
  id bigserial primary key, list_id int not null, at timestamptz not null default now(),
  constraint status_list_changes_list_fk foreign key (list_id) references status_lists (id)
);
create index status_list_changes_list_index on status_list_changes (list_id, id);

create table credentials (
  application_id int not null, list_id int not null, place int not null, credential text, signed_at timestamptz,
  primary key (application_id),
  constraint credentials_place_unique unique (list_id, place), -- VER-11: a place is given once.
  constraint credentials_place_in_list check (place >= 0 and place <= 131071),
  constraint credentials_list_fk foreign key (list_id) references status_lists (id)
);


-- Applications

create table applications (
  id serial primary key, owner_id int not null, profile_id int not null, service_id int not null, discipline_id int,
  kind varchar(40) not null, year int not null, data jsonb not null, status varchar(20) not null default 'draft',
  amount_minor bigint not null, insurance_coverage_minor bigint, breakdown jsonb not null, paid boolean not null default false,
  paid_at timestamptz, payment_transaction_id int, refund_transaction_id int, review_note text,
  sharing_enabled boolean not null default false, sharing_confirmed_at timestamptz, revision int not null default 1,
  submitted_at timestamptz, resubmission_due_since timestamptz, approved_at timestamptz, cancelled_at timestamptz, closed_at timestamptz,
  due_at timestamptz, remind_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
  constraint applications_status_known check (status in ('draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed')),
  constraint applications_amount_not_negative check (amount_minor >= 0),
  -- WAL-12: a paid application names the transaction that paid it.
  constraint applications_paid_has_transaction check (paid = (payment_transaction_id is not null) and paid = (paid_at is not null)),
  -- APP-10: only an issued application waits for replaced documents.
  constraint applications_resubmission_of_issued
    check (resubmission_due_since is null or (approved_at is not null and status <> 'draft' and status <> 'submitted')),
  constraint applications_owner_fk foreign key (owner_id) references users (id),
  constraint applications_profile_fk foreign key (profile_id) references profiles (id),
  constraint applications_service_fk foreign key (service_id) references services (id),
  constraint applications_discipline_fk foreign key (discipline_id) references disciplines (id) on delete set null
);
create index applications_owner_index on applications (owner_id, id);
create index applications_profile_index on applications (profile_id);
create index applications_live_index on applications (id) where status in ('draft', 'submitted', 'changes', 'approved');
create index applications_due_index on applications (due_at, id) where due_at is not null;
create index applications_queue_index on applications (greatest(submitted_at, paid_at, created_at), id)
  where status = 'submitted' and kind <> 'national_certificate';
create index applications_returned_index on applications (submitted_at) where status = 'changes' and kind <> 'national_certificate';
-- APP-1: one active application for a service, discipline and year. EVT-4: a fee belongs to its event instead.
create unique index applications_active_unique on applications (profile_id, service_id, discipline_id, year) nulls not distinct
  where status not in ('cancelled', 'closed') and kind <> 'event_fee';

create table application_documents (
  application_id int not null, document_id int not null, primary key (application_id, document_id),
  constraint application_documents_application_fk foreign key (application_id)
    references applications (id) on update cascade on delete cascade,
  constraint application_documents_document_fk foreign key (document_id) references documents (id) on update cascade on delete cascade
);
create index application_documents_document_index on application_documents (document_id);

-- APP-18: one row for each step.
create table application_history (
  id bigserial primary key, application_id int not null, at timestamptz not null, step varchar(40) not null, actor varchar(20) not null,
  actor_id int, impersonated_user_id int, request_id varchar(64) not null, revision int not null, status varchar(20) not null,
  is_settled boolean not null, is_resubmission_due boolean not null, document_ids int[] not null, amount_minor bigint
);
create index application_history_application_index on application_history (application_id, id);

create table certificates (
  application_id int not null, number varchar(40) not null, series varchar(10) not null, year int not null, sequence int not null,
  token varchar(43) not null, valid_from date not null, valid_until date not null, snapshot jsonb not null, issued_at timestamptz not null,
  pdf_storage_key varchar(200), pdf_sha256 varchar(64), pdf_size int, pdf_made_at timestamptz, primary key (application_id),
  constraint certificates_number_unique unique (number), -- APP-7: no number is given twice.
  constraint certificates_sequence_unique unique (series, year, sequence), -- APP-7: a sequence number is given once.
  constraint certificates_token_unique unique (token),
  constraint certificates_application_fk foreign key (application_id) references applications (id) on update cascade on delete cascade
);

-- APP-7: the row lock of the update makes numbers gapless.
create table number_series (series varchar(10) not null, year int not null, last int not null, primary key (series, year));


-- Competitions

create table events (
  id serial primary key, owner_id int not null, profile_id int not null, service_id int not null, discipline_id int not null,
  title varchar(200) not null, location varchar(300) not null, starts_at timestamptz not null, ends_at timestamptz not null,
  reserve_at timestamptz, status varchar(20) not null default 'draft', agreement_flow smallint not null default 3, fee_application_id int,
  agreement_terms jsonb, agreement_scan_at timestamptz, published_at timestamptz, completed_at timestamptz, cancelled_at timestamptz,
  cancel_reason text, due_at timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
  constraint events_fee_application_unique unique (fee_application_id), -- EVT-4: one fee for one event.
  constraint events_status_known check (status in ('draft', 'in_progress', 'published', 'completed', 'cancelled')),
  constraint events_agreement_flow_known check (agreement_flow in (1, 3)), -- EVT-18: 3 is the present flow, 1 the earlier one.
  -- EVT-15: the dates follow each other.
  constraint events_dates_ordered check (starts_at <= ends_at and (reserve_at is null or reserve_at >= ends_at)),
  constraint events_owner_fk foreign key (owner_id) references users (id),
  constraint events_profile_fk foreign key (profile_id) references profiles (id),
  constraint events_service_fk foreign key (service_id) references services (id),
  constraint events_discipline_fk foreign key (discipline_id) references disciplines (id),
  constraint events_fee_application_fk foreign key (fee_application_id) references applications (id) on delete set null
);
create index events_owner_index on events (owner_id, id);
create index events_profile_index on events (profile_id);
create index events_due_index on events (due_at, id) where due_at is not null;
create index events_live_index on events (id) where status in ('draft', 'in_progress', 'published');

create table event_stages (
  event_id int not null, stage varchar(20) not null, status varchar(20) not null default 'locked', file_id uuid, submitted_at timestamptz,
  decided_at timestamptz, review_note text, reminded_at timestamptz, updated_at timestamptz not null default now(),
  primary key (event_id, stage),
  constraint event_stages_stage_known check (stage in ('agreement', 'details', 'regulations', 'results')), -- EVT-2: the four stages.
  constraint event_stages_status_known check (status in ('locked', 'open', 'submitted', 'changes', 'approved')),
  constraint event_stages_event_fk foreign key (event_id) references events (id),
  constraint event_stages_file_fk foreign key (file_id) references files (id) on delete set null
);
create index event_stages_queue_index on event_stages (submitted_at) where status = 'submitted';
create index event_stages_file_index on event_stages (file_id) where file_id is not null;

create table registration_settings (
  event_id int not null, opens_at timestamptz, closes_at timestamptz, classes jsonb not null, crew jsonb not null,
  vehicle_fields jsonb not null, columns jsonb not null, opened_at timestamptz, closed_at timestamptz, submissions_told_at timestamptz,
  has_untold_submissions boolean not null default false, updated_at timestamptz not null, primary key (event_id),
  constraint registration_settings_event_fk foreign key (event_id) references events (id) on update cascade on delete cascade
);

create table additional_documents (
  id serial primary key, event_id int not null, file_id uuid not null, title varchar(200) not null, kind varchar(20) not null,
  status varchar(20) not null default 'pending', review_note text, decided_at timestamptz, created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint additional_documents_kind_known check (kind in ('bulletin', 'scheme', 'schedule', 'other')),
  constraint additional_documents_status_known check (status in ('pending', 'approved', 'changes', 'cancelled')),
  constraint additional_documents_event_fk foreign key (event_id) references events (id),
  constraint additional_documents_file_fk foreign key (file_id) references files (id)
);
create index additional_documents_event_index on additional_documents (event_id, id);
create index additional_documents_file_index on additional_documents (file_id);
create index additional_documents_queue_index on additional_documents (created_at, id) where status = 'pending';

-- EVT-13: the primary key refuses a second entry of a certificate.
create table participants (
  event_id int not null, application_id int not null, profile_id int not null, name varchar(400) not null,
  certificate_number varchar(40) not null, category varchar(100), start_number varchar(20),
  result_status varchar(20) not null default 'registered', place int, result varchar(200), created_at timestamptz not null,
  updated_at timestamptz not null, primary key (event_id, application_id),
  constraint participants_result_status_known check (result_status in ('registered', 'started', 'finished', 'dnf', 'dns', 'dsq')),
  constraint participants_place_positive check (place is null or place > 0),
  constraint participants_event_fk foreign key (event_id) references events (id) on update cascade on delete cascade,
  constraint participants_application_fk foreign key (application_id) references applications (id) on update cascade on delete cascade,
  constraint participants_profile_fk foreign key (profile_id) references profiles (id)
);
create index participants_profile_index on participants (profile_id, event_id);
create index participants_application_index on participants (application_id);

create table calendar_entries (
  event_id int not null, starts_at timestamptz not null, ends_at timestamptz not null, discipline_id int not null, words tsvector not null,
  primary key (event_id),
  constraint calendar_entries_event_fk foreign key (event_id) references events (id) on update cascade on delete cascade
);
create index calendar_entries_index on calendar_entries (starts_at, event_id, ends_at);
create index calendar_entries_discipline_index on calendar_entries (discipline_id, starts_at, event_id, ends_at);
create index calendar_entries_words_index on calendar_entries using gin (words) with (fastupdate = off);
create index calendar_entries_days_index on calendar_entries using gist (tstzrange(starts_at, ends_at, '[]'));


-- Registrations

create table registrations (
  id serial primary key, event_id int not null, owner_id int not null, profile_id int not null, class varchar(100) not null,
  vehicle jsonb not null, status varchar(20) not null default 'draft', start_number varchar(20), reason text, submitted_at timestamptz,
  decided_at timestamptz, ineligible_since timestamptz, due_at timestamptz, created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint registrations_status_known check (status in ('draft', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn')),
  constraint registrations_event_fk foreign key (event_id) references events (id),
  constraint registrations_owner_fk foreign key (owner_id) references users (id),
  constraint registrations_profile_fk foreign key (profile_id) references profiles (id)
);
create index registrations_owner_index on registrations (owner_id, id);
create index registrations_profile_index on registrations (profile_id);
create index registrations_event_index on registrations (event_id, class, id);
create index registrations_due_index on registrations (due_at, id) where due_at is not null;
create index registrations_live_index on registrations (id) where due_at is not null;
-- REG-2: one live registration for an event and class.
create unique index registrations_live_unique on registrations (event_id, profile_id, class)
  where status in ('draft', 'submitted', 'returned', 'approved');
-- REG-12: a start number is unique among the registrations of its event.
create unique index registrations_start_number_unique on registrations (event_id, start_number) where start_number is not null;

create table registration_licences (
  registration_id int not null, application_id int not null, primary key (registration_id, application_id),
  constraint registration_licences_registration_fk foreign key (registration_id)
    references registrations (id) on update cascade on delete cascade,
  constraint registration_licences_application_fk foreign key (application_id)
    references applications (id) on update cascade on delete cascade
);
create index registration_licences_application_index on registration_licences (application_id);

create table registration_documents (
  registration_id int not null, document_id int not null, is_attached boolean not null, type varchar(40) not null, number varchar(100),
  expires_at date, status varchar(20) not null, file_id uuid not null, primary key (registration_id, document_id),
  constraint registration_documents_registration_fk foreign key (registration_id)
    references registrations (id) on update cascade on delete cascade,
  constraint registration_documents_document_fk foreign key (document_id) references documents (id) on update cascade on delete cascade,
  constraint registration_documents_file_fk foreign key (file_id) references files (id)
);
create index registration_documents_document_index on registration_documents (document_id);
create index registration_documents_file_index on registration_documents (file_id);

create table registration_crew (
  registration_id int not null, member_id int not null, role varchar(60) not null, primary key (registration_id, member_id),
  constraint registration_crew_registration_fk foreign key (registration_id)
    references registrations (id) on update cascade on delete cascade,
  constraint registration_crew_member_fk foreign key (member_id) references registrations (id) on update cascade on delete cascade
);
create index registration_crew_member_index on registration_crew (member_id);

create table registration_history (
  id bigserial primary key, registration_id int not null, at timestamptz not null, status varchar(20) not null, actor varchar(20) not null,
  actor_id int, reason text, start_number varchar(20), request_id varchar(64) not null
);
create index registration_history_registration_index on registration_history (registration_id, id);


-- Agreements

create table federation_signings (
  id serial primary key, signer_name varchar(200) not null, signer_position varchar(200) not null, signature_file_id uuid not null,
  stamp_file_id uuid not null, layout jsonb not null, actor_id int not null, created_at timestamptz not null,
  constraint federation_signings_signature_fk foreign key (signature_file_id) references files (id),
  constraint federation_signings_stamp_fk foreign key (stamp_file_id) references files (id),
  constraint federation_signings_actor_fk foreign key (actor_id) references users (id)
);
create index federation_signings_signature_index on federation_signings (signature_file_id);
create index federation_signings_stamp_index on federation_signings (stamp_file_id);

create table contract_templates (
  id serial primary key, version int not null default 1, active boolean not null default true, is_default boolean not null default false,
  created_at timestamptz not null, updated_at timestamptz not null
);
-- AGR-9: one template is the default.
create unique index contract_templates_one_default on contract_templates (is_default) where is_default;

create table contract_template_versions (
  template_id int not null, version int not null, title varchar(200) not null, body text not null, created_at timestamptz not null,
  primary key (template_id, version),
  constraint contract_template_versions_template_fk foreign key (template_id) references contract_templates (id)
);

create table contracts (
  id serial primary key, event_id int not null, owner_id int not null, number varchar(40) not null, year int not null,
  sequence int not null, version int not null, status varchar(20) not null default 'generated', template_id int not null,
  template_version int not null, signing_id int not null, snapshot jsonb not null, creator jsonb, token varchar(43) not null,
  signed_at timestamptz not null, pages int, original_storage_key varchar(200), original_sha256 varchar(64), original_size int,
  scan_storage_key varchar(200), scan_sha256 varchar(64), scan_size int, scan_pages int, scan_uploaded_at timestamptz,
  decided_at timestamptz, reason text, replaces_id int, replaced_by_id int, reminded_at timestamptz, due_at timestamptz,
  closed_at timestamptz, unseen_since timestamptz, created_at timestamptz not null, updated_at timestamptz not null,
  constraint contracts_number_unique unique (number), -- AGR-2: no number is given twice.
  constraint contracts_sequence_unique unique (year, sequence), -- AGR-2: a sequence number is given once.
  constraint contracts_token_unique unique (token),
  constraint contracts_status_known check (status in ('generated', 'pending', 'confirmed', 'rejected', 'replaced', 'cancelled')),
  constraint contracts_event_fk foreign key (event_id) references events (id),
  constraint contracts_owner_fk foreign key (owner_id) references users (id),
  constraint contracts_template_fk foreign key (template_id) references contract_templates (id),
  constraint contracts_signing_fk foreign key (signing_id) references federation_signings (id)
);
create index contracts_owner_index on contracts (owner_id, id);
create index contracts_event_index on contracts (event_id, id);
create index contracts_due_index on contracts (due_at, id) where due_at is not null;
create index contracts_waiting_index on contracts (id) where closed_at is null and status in ('generated', 'pending', 'rejected');
create index contracts_unseen_index on contracts (unseen_since, id) where unseen_since is not null;
create index contracts_queue_index on contracts (scan_uploaded_at) where closed_at is null and status = 'pending';
-- AGR-1: an event has one contract that is neither replaced nor cancelled.
create unique index contracts_live_unique on contracts (event_id) where status in ('generated', 'pending', 'confirmed', 'rejected');


-- Messages

create table conversations (
  id serial primary key, kind varchar(20) not null, registration_id int, athlete_id int not null, organizer_id int,
  message_count int not null default 0, athlete_unread int not null default 0, counterpart_unread int not null default 0,
  last_message_id bigint, last_message_at timestamptz, created_at timestamptz not null,
  constraint conversations_registration_unique unique (registration_id), -- MSG-2: one conversation for a registration.
  -- MSG-2: a conversation belongs to a registration, or to an account and the federation.
  constraint conversations_kind_known check (case kind when 'registration' then num_nulls(registration_id, organizer_id) = 0 when
    'federation' then num_nulls(registration_id, organizer_id) = 2 else false end),
  constraint conversations_counters check (least(message_count, athlete_unread, counterpart_unread) >= 0),
  constraint conversations_registration_fk foreign key (registration_id) references registrations (id) on delete no action,
  constraint conversations_athlete_fk foreign key (athlete_id) references users (id),
  constraint conversations_organizer_fk foreign key (organizer_id) references users (id) on delete no action
);
create index conversations_athlete_index on conversations (athlete_id, (athlete_unread > 0) desc, last_message_id desc nulls last, id desc)
  where kind = 'registration';
create index conversations_organizer_index
  on conversations (organizer_id, (counterpart_unread > 0) desc, last_message_id desc nulls last, id desc) where kind = 'registration';
create index conversations_federation_index on conversations ((counterpart_unread > 0) desc, last_message_id desc nulls last, id desc)
  where kind = 'federation';
-- MSG-2: one chat with the federation for an account.
create unique index conversations_federation_unique on conversations (athlete_id) where kind = 'federation';

create table messages (
  id bigserial primary key, conversation_id int not null, side varchar(20) not null, author_id int not null, text text not null,
  client_key varchar(255), created_at timestamptz not null, read_at timestamptz,
  constraint messages_side_known check (side in ('athlete', 'organizer', 'federation')),
  constraint messages_text_length check (char_length(text) >= 1 and char_length(text) <= 3000), -- MSG-1: 1 to 3000 characters.
  constraint messages_conversation_fk foreign key (conversation_id) references conversations (id),
  constraint messages_author_fk foreign key (author_id) references users (id)
);
create index messages_conversation_index on messages (conversation_id, id);
create index messages_unread_index on messages (conversation_id, id) where read_at is null;
-- API-6: a message that is sent again is stored once.
create unique index messages_client_key_unique on messages (conversation_id, author_id, client_key) where client_key is not null;


-- Messaging bot

create table bot_links (
  user_id int not null, state varchar(20) not null, token_hash varchar(64), expires_at timestamptz, chat_id bigint,
  connected_at timestamptz, update_id bigint, primary key (user_id),
  constraint bot_links_token_unique unique (token_hash),
  constraint bot_links_chat_unique unique (chat_id), -- BOT-2: one chat, one account.
  constraint bot_links_state_known check (state in ('pending', 'connected')),
  -- BOT-1: a waiting link has a token and its end.
  constraint bot_links_pending_whole check (num_nonnulls(token_hash, expires_at) = case state when 'pending' then 2 else 0 end),
  constraint bot_links_connected_whole
    check (num_nonnulls(chat_id, connected_at, update_id) = case state when 'connected' then 3 else 0 end),
  constraint bot_links_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade
);
create index bot_links_expiry_index on bot_links (expires_at) where expires_at is not null;

create table bot_updates (id bigint not null, seen_at timestamptz not null, primary key (id));
create index bot_updates_seen_index on bot_updates (seen_at);


-- National

-- NAT-1: the lists of each administrator.
create table national_list_entries (
  administrator_id int not null, list varchar(20) not null, application_id int not null, added_at timestamptz not null,
  primary key (administrator_id, list, application_id),
  constraint national_list_entries_list_known check (list in ('review', 'insurance', 'print')),
  constraint national_list_entries_administrator_fk foreign key (administrator_id) references users (id) on delete cascade,
  constraint national_list_entries_application_fk foreign key (application_id) references applications (id) on delete cascade
);
create index national_list_entries_application_index on national_list_entries (application_id);

create table national_exports (
  id serial primary key, administrator_id int not null, list varchar(20) not null, status varchar(20) not null default 'pending',
  count int not null, file_id uuid not null, failure varchar(60), request_id varchar(64) not null, request_ip varchar(64),
  requested_at timestamptz not null, finished_at timestamptz, progress int not null default 0, due_at timestamptz,
  constraint national_exports_file_unique unique (file_id),
  constraint national_exports_list_known check (list in ('insurance', 'print')),
  constraint national_exports_status_known check (status in ('pending', 'ready', 'failed')),
  constraint national_exports_failure_of_failed check ((failure is not null) = (status = 'failed')), -- A failed export names its failure.
  constraint national_exports_administrator_fk foreign key (administrator_id) references users (id)
);
create index national_exports_administrator_index on national_exports (administrator_id, id);
create index national_exports_due_index on national_exports (due_at, id) where due_at is not null;
create index national_exports_live_index on national_exports (id) where due_at is not null;

create table national_export_records (
  export_id int not null, application_id int not null, list varchar(20) not null, position int not null, exported_at timestamptz,
  problems text[], primary key (export_id, application_id),
  constraint national_export_records_list_known check (list in ('insurance', 'print')),
  constraint national_export_records_export_fk foreign key (export_id) references national_exports (id) on update cascade on delete cascade,
  constraint national_export_records_application_fk foreign key (application_id)
    references applications (id) on update cascade on delete cascade
);
create index national_export_records_application_index on national_export_records (application_id);
create index national_export_records_marks_index on national_export_records (list, application_id) where exported_at is not null;

create table national_certificates (
  application_id int not null, year int not null, service_id int not null, status varchar(20) not null, paid boolean not null,
  insurance_exported boolean not null default false, print_exported boolean not null default false, words tsvector not null,
  primary key (application_id),
  constraint national_certificates_application_fk foreign key (application_id)
    references applications (id) on update cascade on delete cascade
);
create index national_certificates_group_index
  on national_certificates (year, service_id, status, paid, insurance_exported, print_exported, application_id);
create index national_certificates_year_index on national_certificates (year, application_id);
create index national_certificates_words_index on national_certificates using gin (words) with (fastupdate = off);


-- Ownership

create table ownership_transfers (
  id serial primary key, profile_id int not null, from_user_id int not null, to_user_id int not null, actor_id int not null,
  reason text not null, moved jsonb not null, request_id varchar(64) not null, at timestamptz not null,
  constraint ownership_transfers_from_fk foreign key (from_user_id) references users (id),
  constraint ownership_transfers_to_fk foreign key (to_user_id) references users (id),
  constraint ownership_transfers_actor_fk foreign key (actor_id) references users (id)
);
create index ownership_transfers_profile_index on ownership_transfers (profile_id, id);


-- Administration

create table athlete_entries (
  profile_id int not null, status varchar(20) not null, issued_year int, earlier_issued_year int, pending_year int,
  earlier_pending_year int, words tsvector not null, primary key (profile_id),
  constraint athlete_entries_profile_fk foreign key (profile_id) references profiles (id) on update cascade on delete cascade
);
create index athlete_entries_index
  on athlete_entries (profile_id, status, issued_year, earlier_issued_year, pending_year, earlier_pending_year);
create index athlete_entries_status_index
  on athlete_entries (status, profile_id, issued_year, earlier_issued_year, pending_year, earlier_pending_year);
create index athlete_entries_pending_index on athlete_entries (pending_year, profile_id, status, earlier_pending_year, issued_year,
  earlier_issued_year) where pending_year is not null;
create index athlete_entries_words_index on athlete_entries using gin (words) with (fastupdate = off);

create table process_actions (
  id serial primary key, process varchar(100) not null, action varchar(20) not null, reason text not null, actor_id int not null,
  request_id varchar(64) not null, at timestamptz not null,
  constraint process_actions_actor_fk foreign key (actor_id) references users (id)
);
create index process_actions_process_index on process_actions (process, id);
