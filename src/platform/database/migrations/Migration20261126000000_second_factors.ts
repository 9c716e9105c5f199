import { Migration } from '@mikro-orm/migrations';

/** Second factors of accounts, and sessions that wait for one. */
export class Migration20261126000000_second_factors extends Migration {
  override name = 'Migration20261126000000_second_factors';

  override async up(): Promise<void> {
    this.addSql(`
alter table users add column second_factor boolean not null default false;
alter table sessions add column waits_for_second_factor boolean not null default false;

create table second_factors (
  user_id int not null primary key,
  secret text,
  pending_secret text,
  last_step int not null default 0,
  recovery_code_hashes text[] not null,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  constraint second_factors_user_fk foreign key (user_id) references users (id) on update cascade on delete cascade,
  constraint second_factors_confirmed_whole check (num_nulls(secret, confirmed_at) in (0, 2))
);
grant select, insert, update, delete on second_factors to registry_application;

create table second_factor_removals (
  id serial primary key,
  user_id int not null,
  reason text not null,
  request_id varchar(64) not null,
  at timestamptz not null,
  constraint second_factor_removals_user_fk foreign key (user_id) references users (id)
);
grant select, insert on second_factor_removals to registry_application;
grant usage, select on sequence second_factor_removals_id_seq to registry_application;`);
  }
}
