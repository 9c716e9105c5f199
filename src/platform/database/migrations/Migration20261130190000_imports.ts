import { Migration } from '@mikro-orm/migrations';

/** Imports of files with many rows (IMP-5). */
export class Migration20261130190000_imports extends Migration {
  override name = 'Migration20261130190000_imports';

  override up(): void {
    this.addSql(`create table imports (
      id serial primary key, kind varchar(20) not null, mode varchar(20) not null, status varchar(20) not null default 'running',
      event_id int not null, owner_id int not null, actor_id int not null, api_key_id int, request_id varchar(64) not null,
      request_ip varchar(64), row_count int not null, done_count int not null default 0, ignored_columns jsonb not null,
      created_at timestamptz not null, finished_at timestamptz, due_at timestamptz,
      constraint imports_kind_known check (kind in ('registrations', 'participants')),
      constraint imports_mode_known check (mode in ('check', 'draft', 'submit')),
      constraint imports_status_known check (status in ('running', 'done', 'stopped', 'expired')),
      constraint imports_count_in_range check (done_count >= 0 and done_count <= row_count),
      constraint imports_event_fk foreign key (event_id) references events (id),
      constraint imports_owner_fk foreign key (owner_id) references users (id),
      constraint imports_actor_fk foreign key (actor_id) references users (id)
    )`);
    this.addSql('create index imports_event_index on imports (event_id, id)');
    this.addSql('create index imports_actor_index on imports (actor_id, id)');
    this.addSql('create index imports_owner_index on imports (owner_id, id)');
    this.addSql('create index imports_due_index on imports (due_at, id) where due_at is not null');
    this.addSql('create index imports_live_index on imports (id) where due_at is not null');
    this.addSql(`create unique index imports_running_unique on imports (owner_id) where status = 'running'`);
    this.addSql(`create table import_batches (
      import_id int not null, position int not null, rows jsonb, outcome jsonb,
      constraint import_batches_pkey primary key (import_id, position),
      constraint import_batches_import_fk foreign key (import_id) references imports (id)
    )`);
    this.addSql(`select keep_totals('imports', 'import', 'import', '{row}.due_at is not null')`);
    this.addSql('grant insert, update, delete on imports to registry_application');
    this.addSql('grant insert, update, delete on import_batches to registry_application');
  }
}
