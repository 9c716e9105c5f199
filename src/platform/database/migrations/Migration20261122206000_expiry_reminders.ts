import { Migration } from '@mikro-orm/migrations';

/** The first of the reminders of a last day that lies ahead of the registry's clock. @param lastDay a column of type date */
const nextReminder = (lastDay: string) => `(
  select min(r.at) from (select (${lastDay} - days)::timestamp at time zone interval '5 hours' as at from unnest(array[60, 30, 7]) days) r
  where r.at > now() + make_interval(secs => coalesce((select offset_seconds from sandbox_clock), 0)))`;

/**
 * When owners are reminded next of the last day of an approved document and of a certificate. What stands already is reminded from now on: what
 * has come by now is skipped, as at an approval. The processes that run have timers for later dates; the sweeper wakes them for this one.
 */
export class Migration20261122206000_expiry_reminders extends Migration {
  override name = 'Migration20261122206000_expiry_reminders';

  override up(): void | Promise<void> {
    this.addSql(`alter table "documents" add "remind_at" timestamptz null;`);
    this.addSql(`alter table "applications" add "remind_at" timestamptz null;`);

    this.addSql(
      `create index "documents_reminder_index" on "documents" ("remind_at", "id") where (remind_at is not null and status = 'approved');`,
    );

    // A reminder is no change of what a document says: whoever corrects it by the version that was read is not refused because of it.
    this.addSql(`drop trigger documents_updated_at on "documents"`);
    this.addSql(`
      create trigger documents_updated_at before update on "documents" for each row
      when (to_jsonb(old) - 'remind_at' is distinct from to_jsonb(new) - 'remind_at') execute function keep_updated_at_growing()`);

    this.addSql(`
      update documents set remind_at = ${nextReminder('expires_at')} where status = 'approved' and expires_at is not null`);
    this.addSql(`
      update applications a set remind_at = r.at, due_at = least(a.due_at, r.at)
      from (select application_id, ${nextReminder('valid_until')} as at from certificates) r
      where r.application_id = a.id and r.at is not null and a.status in ('draft', 'submitted', 'changes', 'approved')`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "documents_reminder_index";`);
    this.addSql(`drop trigger documents_updated_at on "documents"`);
    this.addSql(`alter table "documents" drop column "remind_at";`);
    this.addSql(`
      create trigger documents_updated_at before update on "documents" for each row
      when (old.* is distinct from new.*) execute function keep_updated_at_growing()`);
    this.addSql(`alter table "applications" drop column "remind_at";`);
  }
}
