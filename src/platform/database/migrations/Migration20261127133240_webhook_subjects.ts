import { Migration } from '@mikro-orm/migrations';

/** Subjects with deliveries that wait, each by itself; how a receiver fails; the API key that a webhook ends with. */
export class Migration20261127133240_webhook_subjects extends Migration {
  override name = 'Migration20261127133240_webhook_subjects';

  override async up(): Promise<void> {
    this.addSql(`
alter table webhooks
  add key_id int,
  add failing_since timestamptz,
  add failed_in_row int not null default 0,
  add rests_until timestamptz;
create index webhooks_key_index on webhooks (key_id) where key_id is not null;

create index webhook_deliveries_subject_index on webhook_deliveries (webhook_id, subject, id) where state = 'waiting' and not is_test;
create index webhook_deliveries_test_index on webhook_deliveries (webhook_id, id) where state = 'waiting' and is_test;

create table webhook_subjects (
  webhook_id int not null,
  subject varchar(110) not null,
  next_try_at timestamptz not null,
  failing_since timestamptz,
  attempts int not null default 0,
  last_status smallint,
  primary key (webhook_id, subject),
  constraint webhook_subjects_webhook_fk foreign key (webhook_id) references webhooks (id) on delete cascade
);
create index webhook_subjects_ready_index on webhook_subjects (webhook_id, next_try_at) where failing_since is null;
create index webhook_subjects_retry_index on webhook_subjects (webhook_id, next_try_at) where failing_since is not null;
create index webhook_subjects_failing_index on webhook_subjects (webhook_id, failing_since) where failing_since is not null;
grant select, insert, update, delete on webhook_subjects to registry_application;

-- WHK-4: a delivery that waits has its subject, also one of the former release.
create function note_webhook_subjects() returns trigger language plpgsql as $$
begin
  insert into webhook_subjects (webhook_id, subject, next_try_at)
  select webhook_id, subject, min(next_try_at) from added where state = 'waiting' and not is_test
  group by webhook_id, subject order by webhook_id, subject
  on conflict do nothing;
  return null;
end $$;
create trigger webhook_deliveries_subjects after insert on webhook_deliveries
referencing new table as added for each statement execute function note_webhook_subjects();

insert into webhook_subjects (webhook_id, subject, next_try_at, failing_since, attempts, last_status)
select distinct on (webhook_id, subject) webhook_id, subject, next_try_at, case when tries > 0 then tried_at end, tries, status
from webhook_deliveries where state = 'waiting' and not is_test order by webhook_id, subject, id;`);
  }
}
