import { Migration } from '@mikro-orm/migrations';

/** The exports of an account's data (PRV-2). */
export class Migration20261130060000_account_exports extends Migration {
  override name = 'Migration20261130060000_account_exports';

  override up(): void {
    this.addSql(`create table account_exports (
      id serial primary key, user_id int not null, status varchar(20) not null default 'preparing', file_id uuid not null, request_id varchar(64) not null, request_ip varchar(64),
      requested_at timestamptz not null, finished_at timestamptz, due_at timestamptz,
      constraint account_exports_file_unique unique (file_id),
      constraint account_exports_status_known check (status in ('preparing', 'ready', 'expired')),
      constraint account_exports_user_fk foreign key (user_id) references users (id)
    )`);
    this.addSql('create index account_exports_user_index on account_exports (user_id, id)');
    this.addSql('create index account_exports_due_index on account_exports (due_at, id) where due_at is not null');
    this.addSql('create index account_exports_live_index on account_exports (id) where due_at is not null');
    this.addSql(`select keep_totals('account_exports', 'account_export', 'account-export', '{row}.due_at is not null')`);
    this.addSql('grant insert, update on account_exports to registry_application');
    // The messages of the contact form that an account's address sent.
    this.addSql('create index contact_messages_email_index on contact_messages (email)');
    // An archive holds all files of an account.
    this.addSql('alter table files drop constraint files_size_range');
    this.addSql(`alter table files add constraint files_size_range check (size >= 1 and size <= case when mime in
      ('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/zip') then 2000000000 else 20971520 end)`);
  }
}
