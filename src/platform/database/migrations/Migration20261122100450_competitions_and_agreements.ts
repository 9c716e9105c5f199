import { Migration } from '@mikro-orm/migrations';

type Right = 'insert' | 'update' | 'delete';

const rights: Record<string, readonly Right[]> = {
  additional_documents: ['insert', 'update', 'delete'],
  contract_template_versions: ['insert'],
  contract_templates: ['insert', 'update'],
  contracts: ['insert', 'update'],
  event_stages: ['insert', 'update'],
  events: ['insert', 'update'],
  federation_signings: ['insert'],
  participants: ['insert', 'update', 'delete'],
  registration_crew: ['insert', 'delete'],
  registration_documents: ['insert', 'delete'],
  registration_history: ['insert'],
  registration_licences: ['insert', 'delete'],
  registration_settings: ['insert', 'update'],
  registrations: ['insert', 'update', 'delete'],
};
/** Written once: agreements and the past of a registration rest on them. */
const appendOnly = ['contract_template_versions', 'federation_signings', 'registration_history'];

/**
 * Competitions with their stages, participants and registrations, and the agreements about them. Of fees there is one for each event, so
 * the rule of one application a year no longer counts them.
 */
export class Migration20261122100450_competitions_and_agreements extends Migration {
  override name = 'Migration20261122100450_competitions_and_agreements';

  override up(): void | Promise<void> {
    this.addSql('drop index "applications_active_unique"');
    this.addSql(
      `create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where status not in ('cancelled', 'closed') and kind <> 'event_fee'`,
    );

    this.addSql(
      `create table "contract_templates" ("id" serial primary key, "version" int not null default 1, "active" boolean not null default true, "is_default" boolean not null default false, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create unique index "contract_templates_one_default" on "contract_templates" ("is_default") where is_default;`);

    this.addSql(
      `create table "contract_template_versions" ("template_id" int not null, "version" int not null, "title" varchar(200) not null, "body" text not null, "created_at" timestamptz not null, primary key ("template_id", "version"));`,
    );

    this.addSql(
      `create table "registration_history" ("id" bigserial primary key, "registration_id" int not null, "at" timestamptz not null, "status" varchar(20) not null, "actor" varchar(20) not null, "actor_id" int null, "reason" text null, "request_id" varchar(64) not null);`,
    );
    this.addSql(`create index "registration_history_registration_index" on "registration_history" ("registration_id", "id");`);

    this.addSql(
      `create table "federation_signings" ("id" serial primary key, "signer_name" varchar(200) not null, "signer_position" varchar(200) not null, "signature_file_id" uuid not null, "stamp_file_id" uuid not null, "layout" jsonb not null, "actor_id" int not null, "created_at" timestamptz not null);`,
    );
    this.addSql(`create index "federation_signings_signature_index" on "federation_signings" ("signature_file_id");`);
    this.addSql(`create index "federation_signings_stamp_index" on "federation_signings" ("stamp_file_id");`);

    this.addSql(
      `create table "events" ("id" serial primary key, "owner_id" int not null, "profile_id" int not null, "service_id" int not null, "discipline_id" int not null, "title" varchar(200) not null, "location" varchar(300) not null, "starts_at" timestamptz not null, "ends_at" timestamptz not null, "reserve_at" timestamptz null, "status" varchar(20) not null default 'draft', "agreement_flow" smallint not null default 3, "fee_application_id" int null, "published_at" timestamptz null, "completed_at" timestamptz null, "cancelled_at" timestamptz null, "cancel_reason" text null, "due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "events_owner_index" on "events" ("owner_id", "id");`);
    this.addSql(`create index "events_profile_index" on "events" ("profile_id");`);
    this.addSql(`create index "events_calendar_index" on "events" ("starts_at", "id") where published_at is not null;`);
    this.addSql(
      `create index "events_calendar_discipline_index" on "events" ("discipline_id", "starts_at", "id") where published_at is not null;`,
    );
    this.addSql(`create index "events_due_index" on "events" ("due_at", "id") where due_at is not null;`);
    this.addSql(`create index "events_live_index" on "events" ("id") where status in ('draft', 'in_progress', 'published');`);
    this.addSql(`alter table "events" add constraint "events_fee_application_unique" unique ("fee_application_id");`);

    this.addSql(
      `create table "registration_settings" ("event_id" int not null, "opens_at" timestamptz null, "closes_at" timestamptz null, "classes" jsonb not null, "crew" jsonb not null, "vehicle_fields" jsonb not null, "columns" jsonb not null, "opened_at" timestamptz null, "closed_at" timestamptz null, "updated_at" timestamptz not null, primary key ("event_id"));`,
    );

    this.addSql(
      `create table "registrations" ("id" serial primary key, "event_id" int not null, "owner_id" int not null, "profile_id" int not null, "class" varchar(100) not null, "vehicle" jsonb not null, "status" varchar(20) not null default 'draft', "start_number" varchar(20) null, "reason" text null, "submitted_at" timestamptz null, "decided_at" timestamptz null, "ineligible_since" timestamptz null, "due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "registrations_owner_index" on "registrations" ("owner_id", "id");`);
    this.addSql(`create index "registrations_profile_index" on "registrations" ("profile_id");`);
    this.addSql(`create index "registrations_event_index" on "registrations" ("event_id", "class", "id");`);
    this.addSql(`create index "registrations_due_index" on "registrations" ("due_at", "id") where due_at is not null;`);
    this.addSql(`create index "registrations_live_index" on "registrations" ("id") where due_at is not null;`);
    this.addSql(
      `create unique index "registrations_live_unique" on "registrations" ("event_id", "profile_id", "class") where status in ('draft', 'submitted', 'returned', 'approved');`,
    );
    this.addSql(
      `create unique index "registrations_start_number_unique" on "registrations" ("event_id", "start_number") where start_number is not null;`,
    );

    this.addSql(
      `create table "registration_licences" ("registration_id" int not null, "application_id" int not null, primary key ("registration_id", "application_id"));`,
    );
    this.addSql(`create index "registration_licences_application_index" on "registration_licences" ("application_id");`);

    this.addSql(
      `create table "registration_documents" ("registration_id" int not null, "document_id" int not null, "is_attached" boolean not null, "type" varchar(40) not null, "number" varchar(100) null, "expires_at" date null, "status" varchar(20) not null, "file_id" uuid not null, primary key ("registration_id", "document_id"));`,
    );
    this.addSql(`create index "registration_documents_document_index" on "registration_documents" ("document_id");`);
    this.addSql(`create index "registration_documents_file_index" on "registration_documents" ("file_id");`);

    this.addSql(
      `create table "registration_crew" ("registration_id" int not null, "member_id" int not null, "role" varchar(60) not null, primary key ("registration_id", "member_id"));`,
    );
    this.addSql(`create index "registration_crew_member_index" on "registration_crew" ("member_id");`);

    this.addSql(
      `create table "participants" ("event_id" int not null, "application_id" int not null, "profile_id" int not null, "name" varchar(400) not null, "certificate_number" varchar(40) not null, "category" varchar(100) null, "start_number" varchar(20) null, "result_status" varchar(20) not null default 'registered', "place" int null, "result" varchar(200) null, "created_at" timestamptz not null, "updated_at" timestamptz not null, primary key ("event_id", "application_id"));`,
    );
    this.addSql(`create index "participants_profile_index" on "participants" ("profile_id", "event_id");`);
    this.addSql(`create index "participants_application_index" on "participants" ("application_id");`);

    this.addSql(
      `create table "event_stages" ("event_id" int not null, "stage" varchar(20) not null, "status" varchar(20) not null default 'locked', "file_id" uuid null, "submitted_at" timestamptz null, "decided_at" timestamptz null, "review_note" text null, "reminded_at" timestamptz null, primary key ("event_id", "stage"));`,
    );
    this.addSql(`create index "event_stages_queue_index" on "event_stages" ("submitted_at") where status = 'submitted';`);
    this.addSql(`create index "event_stages_file_index" on "event_stages" ("file_id") where file_id is not null;`);

    this.addSql(
      `create table "contracts" ("id" serial primary key, "event_id" int not null, "owner_id" int not null, "number" varchar(40) not null, "year" int not null, "sequence" int not null, "version" int not null, "status" varchar(20) not null default 'generated', "template_id" int not null, "template_version" int not null, "signing_id" int not null, "snapshot" jsonb not null, "token" varchar(43) not null, "signed_at" timestamptz not null, "pages" int null, "original_storage_key" varchar(200) null, "original_sha256" varchar(64) null, "original_size" int null, "scan_storage_key" varchar(200) null, "scan_sha256" varchar(64) null, "scan_size" int null, "scan_pages" int null, "scan_uploaded_at" timestamptz null, "decided_at" timestamptz null, "reason" text null, "replaces_id" int null, "replaced_by_id" int null, "reminded_at" timestamptz null, "due_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "contracts_owner_index" on "contracts" ("owner_id", "id");`);
    this.addSql(`create index "contracts_event_index" on "contracts" ("event_id", "id");`);
    this.addSql(`create index "contracts_due_index" on "contracts" ("due_at", "id") where due_at is not null;`);
    this.addSql(`create index "contracts_waiting_index" on "contracts" ("id") where status in ('generated', 'pending', 'rejected');`);
    this.addSql(`create index "contracts_queue_index" on "contracts" ("scan_uploaded_at") where status = 'pending';`);
    this.addSql(`alter table "contracts" add constraint "contracts_number_unique" unique ("number");`);
    this.addSql(`alter table "contracts" add constraint "contracts_sequence_unique" unique ("year", "sequence");`);
    this.addSql(`alter table "contracts" add constraint "contracts_token_unique" unique ("token");`);
    this.addSql(
      `create unique index "contracts_live_unique" on "contracts" ("event_id") where status in ('generated', 'pending', 'confirmed', 'rejected');`,
    );

    this.addSql(
      `create table "additional_documents" ("id" serial primary key, "event_id" int not null, "file_id" uuid not null, "title" varchar(200) not null, "kind" varchar(20) not null, "status" varchar(20) not null default 'pending', "review_note" text null, "decided_at" timestamptz null, "created_at" timestamptz not null, "updated_at" timestamptz not null);`,
    );
    this.addSql(`create index "additional_documents_event_index" on "additional_documents" ("event_id", "id");`);
    this.addSql(`create index "additional_documents_file_index" on "additional_documents" ("file_id");`);
    this.addSql(`create index "additional_documents_queue_index" on "additional_documents" ("created_at") where status = 'pending';`);

    this.addSql(
      `alter table "contract_template_versions" add constraint "contract_template_versions_template_fk" foreign key ("template_id") references "contract_templates" ("id");`,
    );

    this.addSql(
      `alter table "federation_signings" add constraint "federation_signings_signature_fk" foreign key ("signature_file_id") references "files" ("id");`,
    );
    this.addSql(
      `alter table "federation_signings" add constraint "federation_signings_stamp_fk" foreign key ("stamp_file_id") references "files" ("id");`,
    );
    this.addSql(
      `alter table "federation_signings" add constraint "federation_signings_actor_fk" foreign key ("actor_id") references "users" ("id");`,
    );

    this.addSql(`alter table "events" add constraint "events_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(`alter table "events" add constraint "events_profile_fk" foreign key ("profile_id") references "profiles" ("id");`);
    this.addSql(`alter table "events" add constraint "events_service_fk" foreign key ("service_id") references "services" ("id");`);
    this.addSql(
      `alter table "events" add constraint "events_discipline_fk" foreign key ("discipline_id") references "disciplines" ("id");`,
    );
    this.addSql(
      `alter table "events" add constraint "events_fee_application_fk" foreign key ("fee_application_id") references "applications" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "events" add constraint "events_status_known" check (status in ('draft', 'in_progress', 'published', 'completed', 'cancelled'));`,
    );
    this.addSql(`alter table "events" add constraint "events_agreement_flow_known" check (agreement_flow in (1, 3));`);
    this.addSql(
      `alter table "events" add constraint "events_dates_ordered" check (starts_at <= ends_at and (reserve_at is null or reserve_at >= ends_at));`,
    );

    this.addSql(
      `alter table "registration_settings" add constraint "registration_settings_event_fk" foreign key ("event_id") references "events" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(`alter table "registrations" add constraint "registrations_event_fk" foreign key ("event_id") references "events" ("id");`);
    this.addSql(`alter table "registrations" add constraint "registrations_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(
      `alter table "registrations" add constraint "registrations_profile_fk" foreign key ("profile_id") references "profiles" ("id");`,
    );
    this.addSql(
      `alter table "registrations" add constraint "registrations_status_known" check (status in ('draft', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn'));`,
    );

    this.addSql(
      `alter table "registration_licences" add constraint "registration_licences_registration_fk" foreign key ("registration_id") references "registrations" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "registration_licences" add constraint "registration_licences_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "registration_documents" add constraint "registration_documents_registration_fk" foreign key ("registration_id") references "registrations" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "registration_documents" add constraint "registration_documents_document_fk" foreign key ("document_id") references "documents" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "registration_documents" add constraint "registration_documents_file_fk" foreign key ("file_id") references "files" ("id");`,
    );

    this.addSql(
      `alter table "registration_crew" add constraint "registration_crew_registration_fk" foreign key ("registration_id") references "registrations" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "registration_crew" add constraint "registration_crew_member_fk" foreign key ("member_id") references "registrations" ("id") on update cascade on delete cascade;`,
    );

    this.addSql(
      `alter table "participants" add constraint "participants_event_fk" foreign key ("event_id") references "events" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "participants" add constraint "participants_application_fk" foreign key ("application_id") references "applications" ("id") on update cascade on delete cascade;`,
    );
    this.addSql(
      `alter table "participants" add constraint "participants_profile_fk" foreign key ("profile_id") references "profiles" ("id");`,
    );
    this.addSql(
      `alter table "participants" add constraint "participants_result_status_known" check (result_status in ('registered', 'started', 'finished', 'dnf', 'dns', 'dsq'));`,
    );
    this.addSql(`alter table "participants" add constraint "participants_place_positive" check (place is null or place > 0);`);

    this.addSql(`alter table "event_stages" add constraint "event_stages_event_fk" foreign key ("event_id") references "events" ("id");`);
    this.addSql(
      `alter table "event_stages" add constraint "event_stages_file_fk" foreign key ("file_id") references "files" ("id") on delete set null;`,
    );
    this.addSql(
      `alter table "event_stages" add constraint "event_stages_stage_known" check (stage in ('agreement', 'details', 'regulations', 'results'));`,
    );
    this.addSql(
      `alter table "event_stages" add constraint "event_stages_status_known" check (status in ('locked', 'open', 'submitted', 'changes', 'approved'));`,
    );

    this.addSql(`alter table "contracts" add constraint "contracts_event_fk" foreign key ("event_id") references "events" ("id");`);
    this.addSql(`alter table "contracts" add constraint "contracts_owner_fk" foreign key ("owner_id") references "users" ("id");`);
    this.addSql(
      `alter table "contracts" add constraint "contracts_template_fk" foreign key ("template_id") references "contract_templates" ("id");`,
    );
    this.addSql(
      `alter table "contracts" add constraint "contracts_signing_fk" foreign key ("signing_id") references "federation_signings" ("id");`,
    );
    this.addSql(
      `alter table "contracts" add constraint "contracts_status_known" check (status in ('generated', 'pending', 'confirmed', 'rejected', 'replaced', 'cancelled'));`,
    );

    this.addSql(
      `alter table "additional_documents" add constraint "additional_documents_event_fk" foreign key ("event_id") references "events" ("id");`,
    );
    this.addSql(
      `alter table "additional_documents" add constraint "additional_documents_file_fk" foreign key ("file_id") references "files" ("id");`,
    );
    this.addSql(
      `alter table "additional_documents" add constraint "additional_documents_kind_known" check (kind in ('bulletin', 'scheme', 'schedule', 'other'));`,
    );
    this.addSql(
      `alter table "additional_documents" add constraint "additional_documents_status_known" check (status in ('pending', 'approved', 'changes', 'cancelled'));`,
    );
    for (const table of appendOnly) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on "${table}"
        for each statement execute function refuse_change_of_append_only_row()`);
    }
    for (const [table, granted] of Object.entries(rights)) this.addSql(`grant ${granted.join(', ')} on "${table}" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql('drop index "applications_active_unique"');
    this.addSql(
      `create unique index "applications_active_unique" on "applications" ("profile_id", "service_id", "discipline_id", "year") nulls not distinct where status not in ('cancelled', 'closed')`,
    );
    this.addSql(`alter table "contract_template_versions" drop constraint "contract_template_versions_template_fk";`);
    this.addSql(`alter table "contracts" drop constraint "contracts_template_fk";`);
    this.addSql(`alter table "contracts" drop constraint "contracts_signing_fk";`);
    this.addSql(`alter table "registration_settings" drop constraint "registration_settings_event_fk";`);
    this.addSql(`alter table "registrations" drop constraint "registrations_event_fk";`);
    this.addSql(`alter table "participants" drop constraint "participants_event_fk";`);
    this.addSql(`alter table "event_stages" drop constraint "event_stages_event_fk";`);
    this.addSql(`alter table "contracts" drop constraint "contracts_event_fk";`);
    this.addSql(`alter table "additional_documents" drop constraint "additional_documents_event_fk";`);
    this.addSql(`alter table "registration_licences" drop constraint "registration_licences_registration_fk";`);
    this.addSql(`alter table "registration_documents" drop constraint "registration_documents_registration_fk";`);
    this.addSql(`alter table "registration_crew" drop constraint "registration_crew_registration_fk";`);
    this.addSql(`alter table "registration_crew" drop constraint "registration_crew_member_fk";`);

    this.addSql(`drop table if exists "contract_templates" cascade;`);
    this.addSql(`drop table if exists "contract_template_versions" cascade;`);
    this.addSql(`drop table if exists "registration_history" cascade;`);
    this.addSql(`drop table if exists "federation_signings" cascade;`);
    this.addSql(`drop table if exists "events" cascade;`);
    this.addSql(`drop table if exists "registration_settings" cascade;`);
    this.addSql(`drop table if exists "registrations" cascade;`);
    this.addSql(`drop table if exists "registration_licences" cascade;`);
    this.addSql(`drop table if exists "registration_documents" cascade;`);
    this.addSql(`drop table if exists "registration_crew" cascade;`);
    this.addSql(`drop table if exists "participants" cascade;`);
    this.addSql(`drop table if exists "event_stages" cascade;`);
    this.addSql(`drop table if exists "contracts" cascade;`);
    this.addSql(`drop table if exists "additional_documents" cascade;`);
  }
}
