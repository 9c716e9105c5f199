import { Migration } from '@mikro-orm/migrations';

/** The erasures of accounts (PRV-4, PRV-5). */
export class Migration20261130090000_account_erasures extends Migration {
  override name = 'Migration20261130090000_account_erasures';

  override up(): void {
    this.addSql(`create table account_erasures (
      id int primary key, status varchar(20) not null, reason text, request_id varchar(64) not null, request_ip varchar(64),
      requested_at timestamptz not null, ends_at timestamptz not null, reminded_at timestamptz, blocked_at timestamptz,
      erased_at timestamptz, purged_at timestamptz, due_at timestamptz,
      constraint account_erasures_status_known check (status in ('waiting', 'withdrawn', 'erased', 'done')),
      constraint account_erasures_user_fk foreign key (id) references users (id)
    )`);
    this.addSql('create index account_erasures_due_index on account_erasures (due_at, id) where due_at is not null');
    this.addSql('create index account_erasures_live_index on account_erasures (id) where due_at is not null');
    this.addSql(`select keep_totals('account_erasures', 'account_erasure', 'account-erasure', '{row}.due_at is not null')`);
    this.addSql('grant insert, update on account_erasures to registry_application');
  }
}
