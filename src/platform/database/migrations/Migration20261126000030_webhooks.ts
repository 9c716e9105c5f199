import { Migration } from '@mikro-orm/migrations';

/** Webhooks, their deliveries, and the processes that the next change wakes. */
export class Migration20261126000030_webhooks extends Migration {
  override name = 'Migration20261126000030_webhooks';

  override async up(): Promise<void> {
    this.addSql(`
create table change_waiters (process varchar(120) not null primary key, user_id int);
create index change_waiters_user_index on change_waiters (user_id);
grant select, insert, update, delete on change_waiters to registry_application;

create table webhooks (
  id serial primary key,
  user_id int not null,
  status varchar(20) not null default 'enabled',
  disabled_by varchar(20),
  url varchar(2000) not null,
  types text[] not null,
  description varchar(200),
  sees_all boolean not null,
  secret text not null,
  former_secret text,
  former_until timestamptz,
  place bigint not null,
  change_id bigint not null,
  position_at timestamptz not null,
  next_try_at timestamptz,
  last_tried_at timestamptz,
  last_status smallint,
  last_problem varchar(40),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  due_at timestamptz
);
create index webhooks_user_index on webhooks (user_id, id);
create index webhooks_due_index on webhooks (due_at, id) where due_at is not null;
create index webhooks_enabled_index on webhooks (id) where status = 'enabled';
create index webhooks_deleted_index on webhooks (updated_at) where status = 'deleted';
grant select, insert, update, delete on webhooks to registry_application;
grant usage, select on sequence webhooks_id_seq to registry_application;

create table webhook_deliveries (
  id bigserial primary key,
  webhook_id int not null,
  state varchar(20) not null default 'waiting',
  message_id varchar(80) not null,
  type varchar(120) not null,
  subject varchar(110) not null,
  body text not null,
  is_test boolean not null,
  is_own boolean not null,
  tries int not null default 0,
  next_try_at timestamptz not null,
  tried_at timestamptz,
  status smallint,
  problem varchar(40),
  duration_ms int,
  answer text,
  created_at timestamptz not null,
  constraint webhook_deliveries_webhook_fk foreign key (webhook_id) references webhooks (id)
);
create index webhook_deliveries_list_index on webhook_deliveries (webhook_id, id);
create index webhook_deliveries_state_index on webhook_deliveries (webhook_id, state, id);
create index webhook_deliveries_created_index on webhook_deliveries (created_at);
grant select, insert, update, delete on webhook_deliveries to registry_application;
grant usage, select on sequence webhook_deliveries_id_seq to registry_application;

select keep_totals('webhooks', 'webhook', 'webhook', $$\{row}.status = 'enabled'$$);`);
  }
}
