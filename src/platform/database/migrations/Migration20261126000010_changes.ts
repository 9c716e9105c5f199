import { Migration } from '@mikro-orm/migrations';

/** The log of changes: partitions by month, the places of transactions, and the end below which all transactions have ended. */
export class Migration20261126000010_changes extends Migration {
  override name = 'Migration20261126000010_changes';

  override async up(): Promise<void> {
    this.addSql(`
create schema partitions;
grant usage on schema partitions to registry_application;

create table change_eras (
  base bigint primary key,
  first_xid bigint not null,
  cluster bigint not null,
  timeline int not null,
  began_at timestamptz not null default now()
);
grant insert on change_eras to registry_application;

create sequence change_numbers;
create table changes (
  place bigint not null,
  id bigint not null,
  written_at timestamptz not null default now(),
  at timestamptz not null,
  action varchar(80) not null,
  subject_kind varchar(40) not null,
  subject_id varchar(60) not null,
  parent_id int,
  status varchar(20),
  owner_id int,
  organizer_id int,
  primary key (place, id, written_at)
) partition by range (written_at);
create index changes_action_index on changes (action, place, id);
create index changes_owner_index on changes (owner_id, place, id) where owner_id is not null;
create index changes_owner_action_index on changes (owner_id, action, place, id) where owner_id is not null;
create index changes_organizer_index on changes (organizer_id, place, id) where organizer_id is not null;
create index changes_organizer_action_index on changes (organizer_id, action, place, id) where organizer_id is not null;
grant insert on changes to registry_application;
-- Takes rows of a month without a partition, so that no command fails. Empty while the sweeper runs.
create table partitions.changes_rest partition of changes default;

-- Identifies the cluster and its timeline: a restored cluster has another identifier, a promoted standby another timeline.
create function database_line(out cluster bigint, out timeline int) language sql stable as $$
  select system_identifier, ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int from pg_control_system()
$$;

-- Numbers that an era may begin with. Minutes leave room for 2^24 transactions in each, so a later era is above the places of all earlier
-- ones, also of those that a restored backup lacks.
create function change_base(former bigint) returns bigint language sql stable as $$
  select greatest((extract(epoch from clock_timestamp())::bigint / 60) << 24, coalesce(former, 0) + (1 << 24))
$$;

-- CHG-2: returns the place of the present transaction in the log, and begins an era in another cluster or timeline. Under a lock until the
-- commit, so that no transaction writes into an era that has ended. Transactions that are open then have places in the new era too.
create function change_place() returns bigint language plpgsql as $$
declare
  here record;
  last change_eras;
begin
  select * into here from database_line();
  select * into last from change_eras order by base desc limit 1;
  if (last.cluster, last.timeline) is distinct from (here.cluster, here.timeline) then
    perform pg_advisory_xact_lock(7245004);
    select * into last from change_eras order by base desc limit 1;
  end if;
  if (last.cluster, last.timeline) is distinct from (here.cluster, here.timeline) then
    insert into change_eras (base, first_xid, cluster, timeline)
    values (change_base(last.base), pg_snapshot_xmin(pg_current_snapshot())::text::bigint, here.cluster, here.timeline)
    returning * into last;
  end if;
  return last.base + pg_current_xact_id()::text::bigint - last.first_xid;
end $$;

-- CHG-2: returns the end of the log for the present snapshot. All transactions below it have ended. In another cluster it is where the next
-- era begins at the earliest.
create function change_end() returns bigint language sql stable as $$
  select case
    when (e.cluster, e.timeline) = (l.cluster, l.timeline) then e.base + pg_snapshot_xmin(pg_current_snapshot())::text::bigint - e.first_xid
    else change_base(e.base)
  end
  from database_line() l left join (select * from change_eras order by base desc limit 1) e on true
$$;

-- CHG-4: makes the partitions of this month and the next two, and drops those that ended more than ninety days ago. Runs as the owner of the
-- tables. Returns null after a short wait for a lock: commands wait behind it, and the sweeper calls again.
create function keep_change_partitions(present timestamptz) returns int
language plpgsql security definer set search_path = public, pg_temp set timezone = 'UTC' set lock_timeout = '300ms' as $$
declare
  first date := date_trunc('month', present);
  name text;
  changed int := 0;
begin
  -- Two sweepers must not make the same partition.
  perform pg_advisory_xact_lock(7245003);
  for n in 0..2 loop
    name := to_char(first + make_interval(months => n), '"changes_"YYYY_MM');
    continue when to_regclass('partitions.' || name) is not null;
    -- Such rows stay where they are.
    continue when exists (
      select from partitions.changes_rest
      where written_at >= first + make_interval(months => n) and written_at < first + make_interval(months => n + 1)
    );
    -- A table of its own first: creating a partition would lock out all commands.
    execute format('create table partitions.%I (like changes including defaults including constraints)', name);
    -- Without statistics the planner takes the index of an account or action for any value, also of an account with most of the rows.
    execute format(
      'alter table partitions.%I alter owner_id set statistics 0, alter organizer_id set statistics 0, alter action set statistics 0', name
    );
    execute format(
      'alter table changes attach partition partitions.%I for values from (%L) to (%L)',
      name, first + make_interval(months => n), first + make_interval(months => n + 1)
    );
    changed := changed + 1;
  end loop;
  for name in
    select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'changes'::regclass and c.relname ~ '^changes_\\d{4}_\\d{2}$'
  loop
    if to_date(right(name, 7), 'YYYY_MM') + interval '1 month' < present - interval '91 days' then
      execute format('drop table partitions.%I', name);
      changed := changed + 1;
    end if;
  end loop;
  delete from partitions.changes_rest where written_at < present - interval '91 days';
  return changed;
exception when lock_not_available then
  return null;
end $$;
revoke all on function keep_change_partitions from public;
grant execute on function keep_change_partitions to registry_application;

select keep_change_partitions(now());`);
  }
}
