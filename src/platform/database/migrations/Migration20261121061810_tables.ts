import { Migration } from '@mikro-orm/migrations';

export class Migration20261121061810_tables extends Migration {
  override name = 'Migration20261121061810_tables';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "audit_events" ("id" serial primary key, "action" varchar(80) not null, "actor_id" int null, "impersonated_user_id" int null, "subject_kind" varchar(40) not null, "subject_id" varchar(60) not null, "ip" varchar(64) null, "request_id" varchar(64) not null, "at" timestamptz not null, "data" jsonb not null);`,
    );
    this.addSql(`create index "audit_events_subject_index" on "audit_events" ("subject_kind", "subject_id", "id");`);
    this.addSql(`create index "audit_events_actor_index" on "audit_events" ("actor_id", "id");`);
    this.addSql(`create index "audit_events_request_index" on "audit_events" ("request_id");`);

    this.addSql(`create table "base_indexes" ("year" int not null, "amount_minor" bigint not null, primary key ("year"));`);

    this.addSql(
      `create table "contact_messages" ("id" serial primary key, "name" varchar(200) not null, "email" varchar(254) not null, "message" text not null, "status" varchar(20) not null default 'new', "created_at" timestamptz not null);`,
    );
    this.addSql(`create index "contact_messages_queue_index" on "contact_messages" ("created_at") where status = 'new';`);

    this.addSql(
      `create table "disciplines" ("id" int not null, "code" varchar(60) not null, "title" jsonb not null, "active" boolean not null default true, primary key ("id"));`,
    );
    this.addSql(`alter table "disciplines" add constraint "disciplines_code_unique" unique ("code");`);

    this.addSql(
      `create table "incidents" ("id" serial primary key, "kind" varchar(60) not null, "subject_kind" varchar(40) not null, "subject_id" varchar(60) not null, "details" jsonb not null, "at" timestamptz not null, "resolved_at" timestamptz null);`,
    );
    this.addSql(`alter table "incidents" add constraint "incidents_once" unique ("kind", "subject_kind", "subject_id");`);

    this.addSql(
      `create table "ledger_transactions" ("id" serial primary key, "type" varchar(40) not null, "reference" varchar(100) not null, "reversal_of" int null, "application_id" int null, "invoice_id" int null, "reason" text null, "flags" text[] not null, "actor_id" int null, "request_id" varchar(64) not null, "at" timestamptz not null);`,
    );
    this.addSql(`alter table "ledger_transactions" add constraint "ledger_transactions_reference_unique" unique ("reference");`);
    this.addSql(`alter table "ledger_transactions" add constraint "ledger_transactions_reversal_unique" unique ("reversal_of");`);

    this.addSql(
      `create table "ledger_entries" ("id" serial primary key, "transaction_id" int not null, "account" varchar(60) not null, "amount_minor" bigint not null, "currency" varchar(3) not null default 'KZT');`,
    );
    this.addSql(`create index "ledger_entries_transaction_index" on "ledger_entries" ("transaction_id");`);
    this.addSql(`create index "ledger_entries_account_index" on "ledger_entries" ("account", "id");`);

    this.addSql(
      `create table "number_series" ("series" varchar(10) not null, "year" int not null, "last" int not null, primary key ("series", "year"));`,
    );

    this.addSql(
      `create table "private_inputs" ("id" uuid not null, "body" jsonb not null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "private_inputs_created_index" on "private_inputs" ("created_at");`);

    this.addSql(
      `create table "receipts" ("workflow_id" varchar(100) not null, "command_id" varchar(100) not null, "fingerprint" varchar(64) not null, "result" jsonb not null, "touched" jsonb not null, "at" timestamptz not null, primary key ("workflow_id", "command_id"));`,
    );

    this.addSql(`create table "sandbox_clock" ("id" int not null, "offset_seconds" bigint not null default '0', primary key ("id"));`);

    this.addSql(
      `create table "services" ("id" int not null, "code" varchar(60) not null, "kind" varchar(40) not null, "title" jsonb not null, "category" varchar(40) null, "profile_kind" varchar(20) not null, "mrp" numeric(12,4) not null, "cis_mrp" numeric(12,4) null, "required_documents" jsonb not null, "insurance_coverage_mrp" int null, "active" boolean not null default true, "updated_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`alter table "services" add constraint "services_code_unique" unique ("code");`);

    this.addSql(
      `create table "service_disciplines" ("service_id" int not null, "discipline_id" int not null, primary key ("service_id", "discipline_id"));`,
    );

    this.addSql(
      `create table "users" ("id" serial primary key, "email" varchar(254) not null, "password_hash" varchar(255) not null, "name" varchar(200) not null, "phone" varchar(40) null, "role" varchar(20) not null default 'user', "status" varchar(20) not null default 'active', "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`alter table "users" add constraint "users_email_unique" unique ("email");`);

    this.addSql(
      `create table "files" ("id" uuid not null, "owner_id" int not null, "purpose" varchar(40) not null, "name" varchar(255) not null, "mime" varchar(40) not null, "size" int not null, "sha256" varchar(64) not null, "width" int null, "height" int null, "pages" int null, "storage_key" varchar(200) not null, "created_at" timestamptz not null, "deleted_at" timestamptz null, "purged_at" timestamptz null, primary key ("id"));`,
    );
    this.addSql(`create index "files_owner_index" on "files" ("owner_id", "created_at");`);
    this.addSql(`create index "files_purge_index" on "files" ("deleted_at") where deleted_at is not null and purged_at is null;`);
    this.addSql(`alter table "files" add constraint "files_storage_key_unique" unique ("storage_key");`);

    this.addSql(
      `create table "sessions" ("id" uuid not null, "token_hash" varchar(64) not null, "user_id" int null, "csrf_token" varchar(64) not null, "created_at" timestamptz not null, "last_seen_at" timestamptz not null, "expires_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create index "sessions_user_index" on "sessions" ("user_id");`);
    this.addSql(`create index "sessions_expiry_index" on "sessions" ("expires_at");`);
    this.addSql(`alter table "sessions" add constraint "sessions_token_unique" unique ("token_hash");`);

    this.addSql(
      `create table "captchas" ("id" uuid not null, "session_id" uuid not null, "purpose" varchar(20) not null, "answer_hash" varchar(64) not null, "expires_at" timestamptz not null, "closed_at" timestamptz null, "closed_by" varchar(20) null, "created_at" timestamptz not null, primary key ("id"));`,
    );
    this.addSql(`create unique index "captchas_open_unique" on "captchas" ("session_id") where closed_at is null;`);

    this.addSql(
      `create table "review_decisions" ("id" serial primary key, "subject_kind" varchar(40) not null, "subject_id" int not null, "decision" varchar(20) not null, "note" text null, "from_status" varchar(20) not null, "to_status" varchar(20) not null, "actor_id" int not null, "request_id" varchar(64) not null, "at" timestamptz not null);`,
    );
    this.addSql(`create index "review_decisions_subject_index" on "review_decisions" ("subject_kind", "subject_id", "id");`);

    this.addSql(
      `create table "profiles" ("id" serial primary key, "owner_id" int not null, "kind" varchar(20) not null, "name" varchar(400) not null, "data" jsonb not null, "iin" varchar(12) null, "photo_id" uuid null, "status" varchar(20) not null default 'draft', "photo_status" varchar(20) not null default 'draft', "review_note" text null, "photo_review_note" text null, "ever_approved" boolean not null default false, "duplicate_iin" boolean not null default false, "submitted_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "profiles_owner_index" on "profiles" ("owner_id");`);
    this.addSql(`create index "profiles_iin_index" on "profiles" ("iin") where iin is not null;`);
    this.addSql(`create index "profiles_queue_index" on "profiles" ("submitted_at") where status = 'pending' or photo_status = 'pending';`);
    this.addSql(`create unique index "profiles_one_athlete_per_owner" on "profiles" ("owner_id") where kind = 'athlete';`);

    this.addSql(
      `create table "documents" ("id" serial primary key, "profile_id" int not null, "type" varchar(40) not null, "file_id" uuid not null, "number" varchar(100) null, "country" varchar(2) null, "issued_at" date null, "expires_at" date null, "status" varchar(20) not null default 'pending', "review_note" text null, "decided_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "documents_profile_index" on "documents" ("profile_id");`);
    this.addSql(`create index "documents_file_index" on "documents" ("file_id");`);
    this.addSql(`create index "documents_queue_index" on "documents" ("created_at") where status = 'pending';`);
    this.addSql(
      `create index "documents_expiry_index" on "documents" ("expires_at") where expires_at is not null and status in ('pending', 'approved', 'changes');`,
    );

    this.addSql(
      `create table "password_resets" ("id" serial primary key, "user_id" int not null, "token_hash" varchar(64) not null, "expires_at" timestamptz not null, "closed_at" timestamptz null, "closed_by" varchar(20) null, "created_at" timestamptz not null);`,
    );
    this.addSql(`alter table "password_resets" add constraint "password_resets_token_unique" unique ("token_hash");`);
    this.addSql(`create unique index "password_resets_open_unique" on "password_resets" ("user_id") where closed_at is null;`);

    this.addSql(
      `create table "notifications" ("id" serial primary key, "user_id" int not null, "type" varchar(60) not null, "title" varchar(200) not null, "text" text not null, "subject_kind" varchar(40) not null, "subject_id" varchar(60) not null, "created_at" timestamptz not null, "read_at" timestamptz null);`,
    );
    this.addSql(`create index "notifications_user_index" on "notifications" ("user_id", "id");`);

    this.addSql(
      `create table "invoices" ("id" serial primary key, "owner_id" int not null, "number" varchar(15) not null, "amount_minor" bigint not null, "currency" varchar(3) not null default 'KZT', "status" varchar(20) not null default 'created', "idempotency_key" varchar(255) not null, "bank_reference" varchar(100) null, "late" boolean not null default false, "paid_at" timestamptz null, "expires_at" timestamptz not null, "last_asked_at" timestamptz null, "next_ask_at" timestamptz null, "asked" int not null default 0, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "invoices_owner_index" on "invoices" ("owner_id", "id");`);
    this.addSql(`create index "invoices_open_index" on "invoices" ("next_ask_at") where next_ask_at is not null;`);
    this.addSql(`alter table "invoices" add constraint "invoices_number_unique" unique ("number");`);
    this.addSql(`alter table "invoices" add constraint "invoices_idempotency_unique" unique ("owner_id", "idempotency_key");`);
    this.addSql(`alter table "invoices" add constraint "invoices_bank_reference_unique" unique ("bank_reference");`);

    this.addSql(
      `create table "bank_answers" ("id" serial primary key, "invoice_id" int not null, "state" varchar(20) not null, "invoice_number" varchar(40) not null, "amount_minor" bigint not null, "currency" varchar(10) not null, "terminal" varchar(60) not null, "reference" varchar(100) null, "verdict" varchar(40) not null, "at" timestamptz not null);`,
    );
    this.addSql(`create index "bank_answers_invoice_index" on "bank_answers" ("invoice_id", "id");`);

    this.addSql(
      `create table "applications" ("id" serial primary key, "owner_id" int not null, "profile_id" int not null, "service_id" int not null, "discipline_id" int null, "kind" varchar(40) not null, "year" int not null, "data" jsonb not null, "status" varchar(20) not null default 'draft', "amount_minor" bigint not null, "insurance_coverage_minor" bigint null, "breakdown" jsonb not null, "paid" boolean not null default false, "paid_at" timestamptz null, "payment_transaction_id" int null, "refund_transaction_id" int null, "review_note" text null, "sharing_enabled" boolean not null default false, "sharing_confirmed_at" timestamptz null, "revision" int not null default 1, "submitted_at" timestamptz null, "approved_at" timestamptz null, "cancelled_at" timestamptz null, "closed_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "applications_owner_index" on "applications" ("owner_id", "id");`);
    this.addSql(`create index "applications_profile_index" on "applications" ("profile_id");`);
    this.addSql(`create index "applications_live_index" on "applications" ("year", "status") where status not in ('cancelled', 'closed');`);
    this.addSql(
      `create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where status not in ('cancelled', 'closed');`,
    );

    this.addSql(
      `create table "certificates" ("application_id" int not null, "number" varchar(40) not null, "series" varchar(10) not null, "year" int not null, "sequence" int not null, "token" varchar(43) not null, "valid_from" date not null, "valid_until" date not null, "snapshot" jsonb not null, "issued_at" timestamptz not null, "pdf_storage_key" varchar(200) null, "pdf_sha256" varchar(64) null, "pdf_size" int null, "pdf_made_at" timestamptz null, primary key ("application_id"));`,
    );
    this.addSql(`alter table "certificates" add constraint "certificates_number_unique" unique ("number");`);
    this.addSql(`alter table "certificates" add constraint "certificates_sequence_unique" unique ("series", "year", "sequence");`);
    this.addSql(`alter table "certificates" add constraint "certificates_token_unique" unique ("token");`);

    this.addSql(
      `create table "application_documents" ("application_id" int not null, "document_id" int not null, primary key ("application_id", "document_id"));`,
    );
    this.addSql(`create index "application_documents_document_index" on "application_documents" ("document_id");`);

    this.addSql(
      `create table "api_keys" ("id" serial primary key, "user_id" int not null, "name" varchar(100) not null, "prefix" varchar(12) not null, "key_hash" varchar(64) not null, "scopes" text[] not null, "expires_at" timestamptz not null, "created_at" timestamptz not null, "last_used_at" timestamptz null, "revoked_at" timestamptz null);`,
    );
    this.addSql(`create index "api_keys_user_index" on "api_keys" ("user_id");`);
    this.addSql(`alter table "api_keys" add constraint "api_keys_hash_unique" unique ("key_hash");`);

    this.addSql(`create table "wallets" ("user_id" int not null, "balance_minor" bigint not null default '0', primary key ("user_id"));`);

    this.addSql(`alter table "base_indexes" add constraint "base_indexes_amount_positive" check (amount_minor > 0);`);

    this.addSql(
      `alter table "ledger_entries" add constraint "ledger_entries_transaction_fk" foreign key ("transaction_id") references "ledger_transactions" ("id");`,
    );
    this.addSql(`alter table "ledger_entries" add constraint "ledger_entries_amount_not_zero" check (amount_minor <> 0);`);

    this.addSql(`alter table "sandbox_clock" add constraint "sandbox_clock_single_row" check (id = 1);`);
    this.addSql(`alter table "sandbox_clock" add constraint "sandbox_clock_forwards" check (offset_seconds >= 0);`);

    this.addSql(
      `alter table "services" add constraint "services_kind_known" check (kind in ('national_certificate', 'international_licence', 'document', 'event_fee'));`,
    );
    this.addSql(
      `alter table "services" add constraint "services_mrp_not_negative" check (mrp >= 0 and (cis_mrp is null or cis_mrp >= 0));`,
    );

    this.addSql(
      `alter table "service_disciplines" add constraint "service_disciplines_service_fk" foreign key ("service_id") references "services" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "service_disciplines" add constraint "service_disciplines_discipline_fk" foreign key ("discipline_id") references "disciplines" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(`alter table "users" add constraint "users_email_lower" check (email = lower(email));`);
    this.addSql(`alter table "users" add constraint "users_role_known" check (role in ('user', 'administrator'));`);
    this.addSql(`alter table "users" add constraint "users_status_known" check (status in ('active', 'blocked'));`);

    this.addSql(`alter table "files" add constraint "files_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(`alter table "files" add constraint "files_size_range" check (size between 1 and 20971520);`);

    this.addSql(
      `alter table "sessions" add constraint "sessions_user_fk" foreign key ("user_id") references "users" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "captchas" add constraint "captchas_session_fk" foreign key ("session_id") references "sessions" ("id") on delete cascade;`,
    );

    this.addSql(
      `alter table "review_decisions" add constraint "review_decisions_actor_fk" foreign key ("actor_id") references "users" ("id");`,
    );

    this.addSql(`alter table "profiles" add constraint "profiles_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(
      `alter table "profiles" add constraint "profiles_photo_fk" foreign key ("photo_id") references "files" ("id") on delete set null;`,
    );
    this.addSql(`alter table "profiles" add constraint "profiles_kind_known" check (kind in ('athlete', 'organizer'));`);
    this.addSql(
      `alter table "profiles" add constraint "profiles_status_known" check (status in ('draft', 'pending', 'approved', 'changes', 'cancelled'));`,
    );
    this.addSql(
      `alter table "profiles" add constraint "profiles_photo_status_known" check (photo_status in ('draft', 'pending', 'approved', 'changes', 'cancelled'));`,
    );

    this.addSql(`alter table "documents" add constraint "documents_profile_fk" foreign key ("profile_id") references "profiles" ("id");`);
    this.addSql(`alter table "documents" add constraint "documents_file_fk" foreign key ("file_id") references "files" ("id");`);
    this.addSql(
      `alter table "documents" add constraint "documents_status_known" check (status in ('pending', 'approved', 'changes', 'cancelled', 'expired'));`,
    );
    this.addSql(
      `alter table "documents" add constraint "documents_dates_ordered" check (issued_at is null or expires_at is null or issued_at <= expires_at);`,
    );

    this.addSql(
      `alter table "password_resets" add constraint "password_resets_user_fk" foreign key ("user_id") references "users" ("id");`,
    );

    this.addSql(`alter table "notifications" add constraint "notifications_user_fk" foreign key ("user_id") references "users" ("id");`);

    this.addSql(`alter table "invoices" add constraint "invoices_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(`alter table "invoices" add constraint "invoices_amount_range" check (amount_minor between 10000 and 500000000);`);
    this.addSql(
      `alter table "invoices" add constraint "invoices_status_known" check (status in ('created', 'pending', 'paid', 'failed', 'expired', 'mismatch'));`,
    );

    this.addSql(
      `alter table "bank_answers" add constraint "bank_answers_invoice_fk" foreign key ("invoice_id") references "invoices" ("id");`,
    );

    this.addSql(`alter table "applications" add constraint "applications_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(
      `alter table "applications" add constraint "applications_profile_fk" foreign key ("profile_id") references "profiles" ("id");`,
    );
    this.addSql(
      `alter table "applications" add constraint "applications_service_fk" foreign key ("service_id") references "services" ("id");`,
    );
    this.addSql(
      `alter table "applications" add constraint "applications_discipline_fk" foreign key ("discipline_id") references "disciplines" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "applications" add constraint "applications_status_known" check (status in ('draft', 'submitted', 'changes', 'approved', 'cancelled', 'closed'));`,
    );
    this.addSql(`alter table "applications" add constraint "applications_amount_not_negative" check (amount_minor >= 0);`);
    this.addSql(
      `alter table "applications" add constraint "applications_paid_has_transaction" check (paid = (payment_transaction_id is not null) and paid = (paid_at is not null));`,
    );

    this.addSql(
      `alter table "certificates" add constraint "certificates_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "application_documents" add constraint "application_documents_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "application_documents" add constraint "application_documents_document_fk" foreign key ("document_id") references "documents" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(`alter table "api_keys" add constraint "api_keys_user_fk" foreign key ("user_id") references "users" ("id");`);

    this.addSql(
      `alter table "wallets" add constraint "wallets_user_fk" foreign key ("user_id") references "users" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(`alter table "wallets" add constraint "wallets_balance_not_negative" check (balance_minor >= 0);`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "service_disciplines" drop constraint "service_disciplines_discipline_fk";`);
    this.addSql(`alter table "applications" drop constraint "applications_discipline_fk";`);
    this.addSql(`alter table "ledger_entries" drop constraint "ledger_entries_transaction_fk";`);
    this.addSql(`alter table "service_disciplines" drop constraint "service_disciplines_service_fk";`);
    this.addSql(`alter table "applications" drop constraint "applications_service_fk";`);
    this.addSql(`alter table "files" drop constraint "files_owner_fk";`);
    this.addSql(`alter table "sessions" drop constraint "sessions_user_fk";`);
    this.addSql(`alter table "review_decisions" drop constraint "review_decisions_actor_fk";`);
    this.addSql(`alter table "profiles" drop constraint "profiles_owner_fk";`);
    this.addSql(`alter table "password_resets" drop constraint "password_resets_user_fk";`);
    this.addSql(`alter table "notifications" drop constraint "notifications_user_fk";`);
    this.addSql(`alter table "invoices" drop constraint "invoices_owner_fk";`);
    this.addSql(`alter table "applications" drop constraint "applications_owner_fk";`);
    this.addSql(`alter table "api_keys" drop constraint "api_keys_user_fk";`);
    this.addSql(`alter table "wallets" drop constraint "wallets_user_fk";`);
    this.addSql(`alter table "profiles" drop constraint "profiles_photo_fk";`);
    this.addSql(`alter table "documents" drop constraint "documents_file_fk";`);
    this.addSql(`alter table "captchas" drop constraint "captchas_session_fk";`);
    this.addSql(`alter table "documents" drop constraint "documents_profile_fk";`);
    this.addSql(`alter table "applications" drop constraint "applications_profile_fk";`);
    this.addSql(`alter table "application_documents" drop constraint "application_documents_document_fk";`);
    this.addSql(`alter table "bank_answers" drop constraint "bank_answers_invoice_fk";`);
    this.addSql(`alter table "certificates" drop constraint "certificates_application_fk";`);
    this.addSql(`alter table "application_documents" drop constraint "application_documents_application_fk";`);

    this.addSql(`drop table if exists "audit_events" cascade;`);
    this.addSql(`drop table if exists "base_indexes" cascade;`);
    this.addSql(`drop table if exists "contact_messages" cascade;`);
    this.addSql(`drop table if exists "disciplines" cascade;`);
    this.addSql(`drop table if exists "incidents" cascade;`);
    this.addSql(`drop table if exists "ledger_transactions" cascade;`);
    this.addSql(`drop table if exists "ledger_entries" cascade;`);
    this.addSql(`drop table if exists "number_series" cascade;`);
    this.addSql(`drop table if exists "private_inputs" cascade;`);
    this.addSql(`drop table if exists "receipts" cascade;`);
    this.addSql(`drop table if exists "sandbox_clock" cascade;`);
    this.addSql(`drop table if exists "services" cascade;`);
    this.addSql(`drop table if exists "service_disciplines" cascade;`);
    this.addSql(`drop table if exists "users" cascade;`);
    this.addSql(`drop table if exists "files" cascade;`);
    this.addSql(`drop table if exists "sessions" cascade;`);
    this.addSql(`drop table if exists "captchas" cascade;`);
    this.addSql(`drop table if exists "review_decisions" cascade;`);
    this.addSql(`drop table if exists "profiles" cascade;`);
    this.addSql(`drop table if exists "documents" cascade;`);
    this.addSql(`drop table if exists "password_resets" cascade;`);
    this.addSql(`drop table if exists "notifications" cascade;`);
    this.addSql(`drop table if exists "invoices" cascade;`);
    this.addSql(`drop table if exists "bank_answers" cascade;`);
    this.addSql(`drop table if exists "applications" cascade;`);
    this.addSql(`drop table if exists "certificates" cascade;`);
    this.addSql(`drop table if exists "application_documents" cascade;`);
    this.addSql(`drop table if exists "api_keys" cascade;`);
    this.addSql(`drop table if exists "wallets" cascade;`);
  }
}
