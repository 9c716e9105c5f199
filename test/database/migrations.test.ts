import { migrateDatabase } from '../../src/registry/migrate-database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { findDrift } from '../../src/tools/migrations/drift.ts';
import { cloneDatabase } from '../support/database.ts';

/** The rights of the service on each table. A migration that makes a table grants its rights and adds them here. */
const rightsOfTheService = {
  account_erasures: 'insert select update',
  account_exports: 'delete insert select update',
  additional_documents: 'delete insert select update',
  api_keys: 'delete insert select update',
  application_documents: 'delete insert select',
  application_history: 'insert select',
  applications: 'delete insert select update',
  archived_vehicles: 'delete select',
  athlete_entries: 'insert select update',
  attempt_counts: 'delete insert select update',
  audit_events: 'insert select',
  bank_answers: 'insert select',
  base_indexes: 'insert select update',
  bot_links: 'delete insert select update',
  bot_updates: 'delete insert select',
  calendar_entries: 'delete insert select update',
  captchas: 'delete insert select update',
  certificates: 'insert select update',
  change_eras: 'insert select',
  change_waiters: 'delete insert select update',
  changes: 'insert select',
  contact_messages: 'delete insert select update',
  contract_template_versions: 'insert select',
  contract_templates: 'insert select update',
  contracts: 'insert select update',
  conversations: 'delete insert select update',
  credentials: 'insert select update',
  cursors: 'delete insert select update',
  disciplines: 'select',
  documents: 'delete insert select update',
  email_confirmations: 'delete insert select update',
  event_entries: 'insert select update',
  event_stages: 'insert select update',
  events: 'insert select update',
  federation_signings: 'insert select',
  files: 'insert select update',
  incidents: 'insert select update',
  import_batches: 'delete insert select update',
  imports: 'delete insert select update',
  invoices: 'insert select update',
  idempotent_requests: 'delete insert select update',
  ledger_entries: 'insert select',
  ledger_transactions: 'insert select',
  // A sent message is immutable; only the time of its reading may change.
  messages: 'delete insert select',
  mikro_orm_migrations: 'select',
  national_certificates: 'insert select update',
  national_export_records: 'insert select update',
  national_exports: 'insert select update',
  national_list_entries: 'delete insert select',
  notification_deliveries: 'delete insert select',
  notification_preferences: 'delete insert select update',
  notifications: 'delete insert select update',
  number_series: 'insert select update',
  organizer_entries: 'insert select update',
  outbox: 'delete insert select update',
  ownership_transfers: 'insert select',
  participants: 'delete insert select update',
  password_resets: 'delete insert select update',
  private_inputs: 'delete insert select',
  process_actions: 'insert select',
  process_troubles: 'delete insert select update',
  profiles: 'delete insert select update',
  receipts: 'delete insert select',
  registration_crew: 'delete insert select',
  registration_documents: 'delete insert select update',
  registration_history: 'insert select',
  registration_licences: 'delete insert select',
  registration_settings: 'insert select update',
  registrations: 'delete insert select update',
  request_records: 'delete insert select',
  review_decisions: 'insert select',
  review_standings: 'insert select',
  sandbox_clock: 'select update',
  sandbox_clock_moves: 'insert select',
  second_factor_removals: 'delete insert select',
  second_factors: 'delete insert select update',
  security_events: 'delete insert select update',
  service_disciplines: 'delete insert select',
  services: 'select update',
  sessions: 'delete insert select update',
  signing_keys: 'insert select update',
  status_list_changes: 'delete insert select',
  status_lists: 'insert select update',
  stream_events: 'delete insert select update',
  streams: 'delete insert select update',
  tallies: 'insert select update',
  tally_changes: 'delete insert select',
  user_words: 'insert select update',
  users: 'insert select update',
  wallets: 'insert select update',
  webhook_deliveries: 'delete insert select update',
  webhook_subjects: 'delete insert select update',
  webhooks: 'delete insert select update',
};

describe('the migrations', () => {
  test('make the database that the entities define, and `migration:check` names each difference', async () => {
    const database = await cloneDatabase();
    const orm = await openRegistry(database.ownerUrl, 2);
    try {
      expect(await findDrift(database.ownerUrl)).toEqual([]);
      // `migration:create` compares by the ORM, which must understand each expression of the database.
      expect(await orm.schema.getUpdateSchemaSQL()).toBe('');
      await orm.em.fork().execute(`
        alter table users alter column phone type varchar(50);
        alter table files drop constraint files_size_range;
        drop index invoices_owner_index;
        drop trigger ledger_entries_append_only on ledger_entries;
        create or replace function refuse_change_of_append_only_row() returns trigger language plpgsql as $$ begin return null; end $$;
        grant delete on audit_events to registry_application;
        create table forgotten (id int)`);
      expect(await findDrift(database.ownerUrl)).toEqual([
        'column forgotten.id: not in the entities',
        'column users.phone: not as in the entities: character varying(40); the database has: character varying(50)',
        'constraint files_size_range of files: missing; the entities have it',
        'function refuse_change_of_append_only_row(): not as in the migrations',
        'index invoices_owner_index: missing; the entities have it',
        'rights of registry_application on audit_events: not as in the migrations: insert select; the database has: delete insert select',
        'rights of registry_application on forgotten: not in the migrations',
        'trigger ledger_entries_append_only of ledger_entries: missing; the migrations have it',
      ]);
      expect(await orm.migrator.checkSchema()).toBe(true);
    } finally {
      await orm.close(true);
      await database.drop();
    }
  });

  test('can run again and in parallel', async () => {
    const database = await cloneDatabase();
    const orms = await Promise.all([openRegistry(database.ownerUrl, 3), openRegistry(database.ownerUrl, 3)]);
    try {
      await expect(Promise.all(orms.map((orm) => migrateDatabase(orm, 'registry_app')))).resolves.toEqual([[], []]);
    } finally {
      await Promise.all(orms.map((orm) => orm.close(true)));
      await database.drop();
    }
  });

  test('let neither the application nor the owner change append-only tables', async () => {
    const database = await cloneDatabase();
    const [application, owner] = await Promise.all([openRegistry(database.url, 2), openRegistry(database.ownerUrl, 2)]);
    try {
      for (const table of [
        'ledger_entries',
        'ledger_transactions',
        'audit_events',
        'bank_answers',
        'review_decisions',
        'application_history',
        'review_standings',
        'registration_history',
        'federation_signings',
        'process_actions',
        'ownership_transfers',
      ]) {
        await expect(application.em.fork().execute(`update ${table} set id = id`)).rejects.toThrow(/permission denied/);
        await expect(application.em.fork().execute(`delete from ${table}`)).rejects.toThrow(/permission denied/);
        await expect(owner.em.fork().execute(`delete from ${table}`)).rejects.toThrow(/append-only/);
      }
    } finally {
      await Promise.all([application.close(true), owner.close(true)]);
      await database.drop();
    }
  });

  test('give the service the rights it needs, and read access to a new table', async () => {
    const database = await cloneDatabase();
    const [application, owner] = await Promise.all([openRegistry(database.url, 2), openRegistry(database.ownerUrl, 2)]);
    try {
      const granted: { table: string; rights: string }[] = await owner.em.fork().execute(
        `select c.relname as table, coalesce(string_agg(lower(g.privilege_type), ' ' order by g.privilege_type), '') as rights
         from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
           left join lateral aclexplode(c.relacl) g on g.grantee = 'registry_application'::regrole
         where c.relkind in ('r', 'p') group by 1`,
      );
      expect(Object.fromEntries(granted.map(({ table, rights }) => [table, rights]))).toEqual(rightsOfTheService);

      await owner.em.fork().execute('create table brand_new (id serial primary key, name text)');
      await expect(application.em.fork().execute('select * from brand_new')).resolves.toEqual([]);
      for (const statement of [
        `insert into brand_new (name) values ('x')`,
        `update brand_new set name = 'x'`,
        'delete from brand_new',
        'truncate brand_new',
      ])
        await expect(application.em.fork().execute(statement)).rejects.toThrow(/permission denied/);
    } finally {
      await Promise.all([application.close(true), owner.close(true)]);
      await database.drop();
    }
  });

  test('refuse a ledger transaction that does not sum to zero, at commit', async () => {
    const database = await cloneDatabase();
    const orm = await openRegistry(database.url, 2);
    try {
      const unbalanced = orm.em.fork().transactional(async (em) => {
        await em.execute(
          `insert into ledger_transactions (type, reference, flags, request_id, at) values ('correction', 'x', '{}', 'request', now())`,
        );
        await em.execute(
          `insert into ledger_entries (transaction_id, account, amount_minor) select id, 'bank:clearing', 100 from ledger_transactions`,
        );
      });
      await expect(unbalanced).rejects.toThrow(/does not sum to zero/);
    } finally {
      await orm.close(true);
      await database.drop();
    }
  });
});
