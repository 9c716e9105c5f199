import { Migration } from '@mikro-orm/migrations';

/**
 * Stores since when a wake-up is due, because each attempt of a relay moves `available_at`. Existing rows are due from now on. Indexes of the
 * review queues get the order in which records wait, so that the oldest of them is the first entry.
 */
export class Migration20261125000002_age_of_waiting_work extends Migration {
  override name = 'Migration20261125000002_age_of_waiting_work';

  override async up(): Promise<void> {
    this.addSql(`
alter table outbox add column due_at timestamptz not null default now();

drop index documents_queue_index;
create index documents_queue_index on documents (updated_at, id) where status = 'pending';
drop index profiles_queue_index;
create index profiles_queue_index on profiles (coalesce(submitted_at, updated_at), id) where status = 'pending' or photo_status = 'pending';
drop index applications_queue_index;
create index applications_queue_index on applications (greatest(submitted_at, paid_at, created_at), id)
  where status = 'submitted' and kind <> 'national_certificate';
drop index additional_documents_queue_index;
create index additional_documents_queue_index on additional_documents (updated_at, id) where status = 'pending';`);
  }
}
