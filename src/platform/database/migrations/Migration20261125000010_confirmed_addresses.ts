import { Migration } from '@mikro-orm/migrations';

/**
 * Confirmed addresses with their links, and what the list of sessions shows. Existing accounts count as confirmed; so do those that an
 * earlier release, which sends no links, still registers.
 */
export class Migration20261125000010_confirmed_addresses extends Migration {
  override name = 'Migration20261125000010_confirmed_addresses';

  override async up(): Promise<void> {
    this.addSql(`
alter table users add column email_confirmed boolean not null default true;
alter table sessions add column ip varchar(64), add column user_agent varchar(200);

create table email_confirmations (
  id serial primary key,
  user_id int not null,
  token_hash varchar(64) not null,
  expires_at timestamptz not null,
  closed_at timestamptz,
  closed_by varchar(20),
  created_at timestamptz not null,
  constraint email_confirmations_token_unique unique (token_hash),
  constraint email_confirmations_user_fk foreign key (user_id) references users (id)
);
create index email_confirmations_expiry_index on email_confirmations (expires_at) where closed_at is null;
create index email_confirmations_closed_index on email_confirmations (expires_at) where closed_at is not null;
create unique index email_confirmations_open_unique on email_confirmations (user_id) where closed_at is null;
grant select, insert, update, delete on email_confirmations to registry_application;
grant usage, select on sequence email_confirmations_id_seq to registry_application;`);
  }
}
