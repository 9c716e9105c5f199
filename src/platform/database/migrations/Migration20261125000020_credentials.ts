import { Migration } from '@mikro-orm/migrations';

/**
 * Credentials that verify without a network: signing keys, status lists, and places in them. Triggers note a change of a status list with the
 * history that `?on=` reads, and wake the list's process. Existing certificates get places by `npm run registry -- credentials`.
 */
export class Migration20261125000020_credentials extends Migration {
  override name = 'Migration20261125000020_credentials';

  override async up(): Promise<void> {
    this.addSql(`
create table signing_keys (
  kid varchar(43) not null primary key,
  public_key varchar(43) not null,
  private_key text not null,
  published_at timestamptz not null,
  signs_from timestamptz not null,
  last_signed_at timestamptz
);
grant select, insert, update on signing_keys to registry_application;

create table status_lists (
  id int not null primary key,
  status varchar(20) not null default 'open',
  opened_at timestamptz not null,
  edition int not null default 0,
  issued_at timestamptz,
  expires_at timestamptz,
  cwt bytea,
  jwt text,
  due_at timestamptz
);
create index status_lists_due_index on status_lists (due_at, id) where due_at is not null;
grant select, insert, update on status_lists to registry_application;

create table status_list_changes (
  id bigserial primary key,
  list_id int not null,
  constraint status_list_changes_list_fk foreign key (list_id) references status_lists (id)
);
create index status_list_changes_list_index on status_list_changes (list_id, id);
grant select, insert, delete on status_list_changes to registry_application;
grant usage, select on sequence status_list_changes_id_seq to registry_application;

create table credentials (
  application_id int not null primary key,
  list_id int not null,
  place int not null,
  credential text,
  signed_at timestamptz,
  constraint credentials_list_fk foreign key (list_id) references status_lists (id),
  constraint credentials_place_unique unique (list_id, place),
  constraint credentials_place_in_list check (place between 0 and 131071)
);
grant select, insert, update on credentials to registry_application;

-- The first change after an edition wakes the list's process three seconds later, so that many changes make one edition. A command that
-- saw an earlier change wakes nothing: its process looks again (src/areas/credentials/process.ts).
create function keep_status_list_change(changed int[]) returns void language plpgsql as $$
declare
  list int;
begin
  for list in select distinct c.list_id from credentials c where c.application_id = any (changed) order by 1 loop
    if not exists (select from status_list_changes where list_id = list) then
      insert into outbox (process, request_id, attempts, available_at, due_at)
      values ('status-list/' || list, 'status-list-' || list, 0, now() + interval '3 seconds', now() + interval '3 seconds');
    end if;
    insert into status_list_changes (list_id) values (list);
  end loop;
end $$;

create function keep_application_status() returns trigger language plpgsql as $$
begin
  perform keep_status_list_change(array[new.application_id]);
  return null;
end $$;
create trigger application_status_kept after insert on application_history for each row execute function keep_application_status();

create function keep_standing_status() returns trigger language plpgsql as $$
begin
  if new.subject_kind = 'document' then
    perform keep_status_list_change(array(select application_id from application_documents where document_id = new.subject_id));
  else
    perform keep_status_list_change(array(select id from applications where profile_id = new.subject_id));
  end if;
  return null;
end $$;
create trigger standing_status_kept after insert on review_standings for each row execute function keep_standing_status();

select keep_totals('status_lists', 'status_list', 'status-list', 'true');`);
  }
}
