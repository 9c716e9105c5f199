import { Migration } from '@mikro-orm/migrations';

/**
 * Since when documents, data and photos have their status: the order of the queue. Existing rows take it from the log of standings, as far
 * as it reaches. Stages and additional documents get a version that grows with each change. Administrators see agreements that their
 * organizers end.
 */
export class Migration20261127131900_review_places extends Migration {
  override name = 'Migration20261127131900_review_places';

  override async up(): Promise<void> {
    this.addSql(`
alter table documents add column status_since timestamptz not null default now();
alter table profiles add column status_since timestamptz not null default now(), add column photo_status_since timestamptz not null default now();
alter table event_stages add column updated_at timestamptz not null default now();
alter table contracts add column unseen_since timestamptz;

-- A filled column is no change of the record: versions stay, and what follows from a change does not run.
alter table documents disable trigger user;
update documents d set status_since = coalesce((
  select min(s.at) from review_standings s where s.subject_kind = 'document' and s.subject_id = d.id and s.id > coalesce((
    select max(o.id) from review_standings o where o.subject_kind = 'document' and o.subject_id = d.id and o.status <> d.status), 0)
), d.updated_at);
alter table documents enable trigger user;
alter table profiles disable trigger user;
update profiles p set
  status_since = coalesce((
    select min(s.at) from review_standings s where s.subject_kind = 'profile' and s.subject_id = p.id and s.id > coalesce((
      select max(o.id) from review_standings o where o.subject_kind = 'profile' and o.subject_id = p.id and o.status <> p.status), 0)
  ), p.submitted_at, p.updated_at),
  photo_status_since = coalesce((
    select min(s.at) from review_standings s where s.subject_kind = 'photo' and s.subject_id = p.id and s.id > coalesce((
      select max(o.id) from review_standings o where o.subject_kind = 'photo' and o.subject_id = p.id and o.status <> p.photo_status), 0)
  ), p.submitted_at, p.updated_at);
alter table profiles enable trigger user;
update event_stages g set updated_at = e.updated_at from events e where e.id = g.event_id;

-- REV-5. A reminder is no change of what a stage says.
create trigger event_stages_updated_at before update on event_stages for each row
when (to_jsonb(old) - 'reminded_at' is distinct from to_jsonb(new) - 'reminded_at') execute function keep_updated_at_growing();
create trigger additional_documents_updated_at before update on additional_documents for each row
when (old.* is distinct from new.*) execute function keep_updated_at_growing();
-- Nor is it a change that an administrator has seen that the agreement ended.
drop trigger contracts_updated_at on contracts;
create trigger contracts_updated_at before update on contracts for each row
when (to_jsonb(old) - '{due_at,remind_at,reminded_at,unseen_since}'::text[]
  is distinct from to_jsonb(new) - '{due_at,remind_at,reminded_at,unseen_since}'::text[])
execute function keep_updated_at_growing();

drop index documents_queue_index;
create index documents_queue_index on documents (status_since, id) where status = 'pending';
drop index documents_returned_index;
create index documents_returned_index on documents (status_since, id) where status = 'changes';
drop index profiles_queue_index;
create index profiles_queue_index on profiles (status_since, id) where status = 'pending';
create index profiles_photo_queue_index on profiles (photo_status_since, id) where photo_status = 'pending';
drop index additional_documents_queue_index;
create index additional_documents_queue_index on additional_documents (created_at, id) where status = 'pending';
create index contracts_unseen_index on contracts (unseen_since, id) where unseen_since is not null;`);
  }
}
