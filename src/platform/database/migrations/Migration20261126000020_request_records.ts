import { Migration } from '@mikro-orm/migrations';

/** The request log of keys and accounts. */
export class Migration20261126000020_request_records extends Migration {
  override name = 'Migration20261126000020_request_records';

  override async up(): Promise<void> {
    this.addSql(`
create table request_records (
  id bigserial primary key,
  user_id int not null,
  key_id int,
  request_id varchar(64) not null,
  method varchar(10) not null,
  route varchar(120) not null,
  status smallint not null,
  code varchar(60),
  duration_ms int not null,
  at timestamptz not null
);
create index request_records_user_index on request_records (user_id, id);
create index request_records_user_status_index on request_records (user_id, status, id);
create index request_records_key_index on request_records (key_id, id) where key_id is not null;
create index request_records_key_status_index on request_records (key_id, status, id) where key_id is not null;
create index request_records_at_index on request_records (at);
grant insert, delete on request_records to registry_application;
grant usage, select on sequence request_records_id_seq to registry_application;`);
  }
}
