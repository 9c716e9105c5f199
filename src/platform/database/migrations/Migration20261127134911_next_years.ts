import { Migration } from '@mikro-orm/migrations';

/**
 * Two living years of an athlete's certificates, corrections of returned profiles, and the end of a document's application with its own
 * last day.
 */
export class Migration20261127134911_next_years extends Migration {
  override name = 'Migration20261127134911_next_years';

  override async up(): Promise<void> {
    this.addSql(`
alter table profiles add column is_corrected boolean not null default false, add column is_photo_corrected boolean not null default false;

drop index athlete_entries_index;
drop index athlete_entries_pending_index;
drop index athlete_entries_status_index;
alter table athlete_entries add column earlier_issued_year int, add column earlier_pending_year int;
create index athlete_entries_index on athlete_entries
  (profile_id, status, issued_year, earlier_issued_year, pending_year, earlier_pending_year);
create index athlete_entries_status_index on athlete_entries
  (status, profile_id, issued_year, earlier_issued_year, pending_year, earlier_pending_year);
create index athlete_entries_pending_index on athlete_entries
  (pending_year, profile_id, status, earlier_pending_year, issued_year, earlier_issued_year) where pending_year is not null;

-- ADM-2: the years of national certificates of an athlete, latest first. A certificate counts as issued until it is annulled (APP-21). An
-- approved one may get its certificate after this trigger, in the same transaction.
create function years_of_athlete(athlete int) returns table (issued int[], pending int[]) language sql stable as $$
  select array_agg(distinct a.year order by a.year desc)
      filter (where a.status = 'approved' or (a.status in ('submitted', 'changes', 'closed') and c.application_id is not null)),
    array_agg(distinct a.year order by a.year desc) filter (where a.status in ('submitted', 'changes'))
  from applications a left join certificates c on c.application_id = a.id
  where a.profile_id = athlete and a.kind = 'national_certificate'
$$;

create or replace function keep_years_of_athlete_entry() returns trigger language plpgsql as $$
declare
  athlete int;
begin
  if tg_op = 'DELETE' then
    athlete := old.profile_id;
  else
    athlete := new.profile_id;
  end if;
  -- A simultaneous change of another application of the athlete waits here, and then sees this one.
  perform 1 from athlete_entries where profile_id = athlete for no key update;
  update athlete_entries e
  set issued_year = y.issued[1], earlier_issued_year = y.issued[2], pending_year = y.pending[1], earlier_pending_year = y.pending[2]
  from years_of_athlete(athlete) y
  where e.profile_id = athlete and (e.issued_year, e.earlier_issued_year, e.pending_year, e.earlier_pending_year)
    is distinct from (y.issued[1], y.issued[2], y.pending[1], y.pending[2]);
  return null;
end $$;

update athlete_entries e
set issued_year = y.issued[1], earlier_issued_year = y.issued[2], pending_year = y.pending[1], earlier_pending_year = y.pending[2]
from (select distinct profile_id from applications where kind = 'national_certificate' and status <> 'draft') a,
  years_of_athlete(a.profile_id) y
where e.profile_id = a.profile_id;

-- APP-13: an issued document ends with its own last day.
update applications a set due_at = least(a.due_at, (c.valid_until + 1)::timestamp at time zone interval '5 hours')
from certificates c
where c.application_id = a.id and a.kind = 'document' and a.status in ('draft', 'submitted', 'changes', 'approved');
`);
  }
}
