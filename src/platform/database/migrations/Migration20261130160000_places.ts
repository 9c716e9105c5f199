import { Migration } from '@mikro-orm/migrations';

/** Places of a class, and its waiting list (REG-20, REG-21). */
export class Migration20261130160000_places extends Migration {
  override name = 'Migration20261130160000_places';

  override up(): void {
    this.addSql(`alter table registration_settings add column class_limits jsonb not null default '[]'`);
    this.addSql(`alter table registrations add column queued_at timestamptz, add column offered_until timestamptz,
      add column has_missed_offer boolean not null default false, drop constraint registrations_status_known,
      add constraint registrations_status_known
        check (status in ('draft', 'waiting', 'offered', 'submitted', 'returned', 'rejected', 'approved', 'withdrawn')),
      add constraint registrations_queue_whole check ((status = 'waiting') = (queued_at is not null)),
      add constraint registrations_offer_whole check ((status = 'offered') = (offered_until is not null))`);
    this.addSql('drop index registrations_live_unique');
    this.addSql(`create unique index registrations_live_unique on registrations (event_id, profile_id, class)
      where status in ('draft', 'waiting', 'submitted', 'returned', 'approved', 'offered')`);
    this.addSql(`create index registrations_places_index on registrations (event_id, class, status, queued_at, id)
      where status in ('waiting', 'submitted', 'returned', 'approved', 'offered')`);
  }
}
