import { Migration } from '@mikro-orm/migrations';

type Right = 'insert' | 'update' | 'delete';

/**
 * What the service writes, table by table; it reads all. To lock a row takes the right to change it. Rows that go with their parent are
 * deleted by their foreign key, which takes no right. Tables that are not here it only reads.
 */
const rights: Record<string, readonly Right[]> = {
  api_keys: ['insert', 'update'],
  application_documents: ['insert', 'delete'],
  application_history: ['insert'],
  applications: ['insert', 'update', 'delete'],
  attempt_counts: ['insert', 'update', 'delete'],
  audit_events: ['insert'],
  bank_answers: ['insert'],
  captchas: ['insert', 'update', 'delete'],
  certificates: ['insert', 'update'],
  contact_messages: ['insert'],
  cursors: ['insert', 'update', 'delete'],
  documents: ['insert', 'update', 'delete'],
  files: ['insert', 'update'],
  incidents: ['insert'],
  invoices: ['insert', 'update'],
  ledger_entries: ['insert'],
  ledger_transactions: ['insert'],
  notifications: ['insert'],
  number_series: ['insert', 'update'],
  outbox: ['insert', 'update', 'delete'],
  password_resets: ['insert', 'update', 'delete'],
  private_inputs: ['insert', 'delete'],
  profiles: ['insert', 'update', 'delete'],
  receipts: ['insert', 'delete'],
  review_decisions: ['insert'],
  review_standings: ['insert'],
  sandbox_clock: ['update'],
  sandbox_clock_moves: ['insert'],
  security_events: ['insert', 'update', 'delete'],
  sessions: ['insert', 'update', 'delete'],
  users: ['insert', 'update'],
  wallets: ['insert', 'update'],
};
/** Filled by migrations and the seed, or by nobody any more. */
const readOnly = ['archived_vehicles', 'base_indexes', 'disciplines', 'mikro_orm_migrations', 'service_disciplines', 'services'];

/**
 * Security events, which are deleted in time, apart from the audit, which nobody can delete; an index for each filter of the audit's list;
 * and a service that writes only where a migration said so: a new table is given to it for reading.
 */
export class Migration20261122074000_security_events_and_grants extends Migration {
  override name = 'Migration20261122074000_security_events_and_grants';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "security_events" ("id" bigserial primary key, "action" varchar(80) not null, "actor_id" int null, "subject_kind" varchar(40) not null, "subject_id" varchar(60) not null, "ip" varchar(64) null, "request_id" varchar(64) not null, "at" timestamptz not null, "count" int not null, "data" jsonb not null, "fingerprint" varchar(64) not null);`,
    );
    this.addSql(`alter table "security_events" add constraint "security_events_fingerprint_unique" unique ("fingerprint");`);

    this.addSql(`drop index "audit_events_subject_index";`);
    this.addSql(`drop index "audit_events_actor_index";`);
    this.addSql(`drop index "audit_events_request_index";`);
    for (const table of ['audit_events', 'security_events']) {
      this.addSql(`create index "${table}_at_index" on "${table}" ("at", "id");`);
      this.addSql(`create index "${table}_action_index" on "${table}" ("action", "at", "id");`);
      this.addSql(`create index "${table}_subject_index" on "${table}" ("subject_kind", "subject_id", "at", "id");`);
      this.addSql(`create index "${table}_kind_index" on "${table}" ("subject_kind", "at", "id");`);
      this.addSql(`create index "${table}_actor_index" on "${table}" ("actor_id", "at", "id");`);
      this.addSql(`create index "${table}_request_index" on "${table}" ("request_id", "at", "id");`);
    }

    this.addSql('alter default privileges in schema public revoke insert, update, delete on tables from registry_application');
    for (const table of [...Object.keys(rights), ...readOnly])
      this.addSql(`revoke insert, update, delete on "${table}" from registry_application`);
    for (const [table, granted] of Object.entries(rights)) this.addSql(`grant ${granted.join(', ')} on "${table}" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql('alter default privileges in schema public grant insert, update, delete on tables to registry_application');
    this.addSql('grant insert, update, delete on all tables in schema public to registry_application');
    const appendOnly = [
      'application_history',
      'audit_events',
      'bank_answers',
      'ledger_entries',
      'ledger_transactions',
      'review_decisions',
      'review_standings',
    ];
    for (const table of appendOnly) this.addSql(`revoke update, delete on "${table}" from registry_application`);

    this.addSql(`drop table if exists "security_events" cascade;`);
    for (const name of ['at', 'action', 'subject', 'kind', 'actor', 'request']) this.addSql(`drop index "audit_events_${name}_index";`);
    this.addSql(`create index "audit_events_subject_index" on "audit_events" ("subject_kind", "subject_id", "id");`);
    this.addSql(`create index "audit_events_actor_index" on "audit_events" ("actor_id", "id");`);
    this.addSql(`create index "audit_events_request_index" on "audit_events" ("request_id");`);
  }
}
