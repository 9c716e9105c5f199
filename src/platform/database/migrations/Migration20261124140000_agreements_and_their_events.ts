import { Migration } from '@mikro-orm/migrations';

const isWaiting = (row: string) => `${row}.status in ('generated', 'pending', 'rejected')`;
const isLiving = (row: string) => `(${isWaiting(row)} and ${row}.closed_at is null)`;

/**
 * The process of an agreement ends with its event, and events know what their agreement says and since when its scan waits. Agreements whose
 * event is over already become due, so that the sweeper has their processes close them.
 */
export class Migration20261124140000_agreements_and_their_events extends Migration {
  override name = 'Migration20261124140000_agreements_and_their_events';

  override up(): void | Promise<void> {
    this.addSql(`alter table "contracts" add column "closed_at" timestamptz null;`);
    this.keepIndexes("closed_at is null and status in ('generated', 'pending', 'rejected')", "closed_at is null and status = 'pending'");
    this.countLiving(isLiving);
    this.addSql(`
      update contracts c set due_at = now() from events e
      where e.id = c.event_id and ${isWaiting('c')} and e.status in ('completed', 'cancelled')`);

    this.addSql(`alter table "events" add column "agreement_terms" jsonb null, add column "agreement_scan_at" timestamptz null;`);
    // The earlier ones do not say their discipline; the event's own stands for it.
    this.addSql(`
      update events e set
        agreement_terms = jsonb_build_object('title', c.snapshot->>'eventTitle', 'location', c.snapshot->>'eventLocation',
          'startsAt', c.snapshot->>'eventStartsAt', 'endsAt', c.snapshot->>'eventEndsAt', 'disciplineId', e.discipline_id),
        agreement_scan_at = case when c.status = 'pending' then c.scan_uploaded_at end
      from contracts c where c.event_id = e.id and c.status in ('generated', 'pending', 'confirmed', 'rejected')`);
  }

  private keepIndexes(waiting: string, queued: string): void {
    this.addSql(`drop index "contracts_waiting_index";`);
    this.addSql(`drop index "contracts_queue_index";`);
    this.addSql(`create index "contracts_waiting_index" on "contracts" ("id") where ${waiting};`);
    this.addSql(`create index "contracts_queue_index" on "contracts" ("scan_uploaded_at") where ${queued};`);
  }

  /** The total of agreements with a process, as `process_troubles_and_tallies` keeps it. */
  private countLiving(living: (row: string) => string): void {
    for (const [what, rows, sign] of [
      ['made', 'fresh', ''],
      ['gone', 'gone', '-'],
    ] as const) {
      this.addSql(`
        create or replace function tally_contract_${what}() returns trigger language plpgsql as $$
        begin
          insert into tally_changes (name, key, n)
            select 'contract', r.status, ${sign}count(*) from ${rows} r group by r.status
            union all
            select 'living', 'agreement', ${sign}count(*) from ${rows} r where ${living('r')} having count(*) > 0;
          return null;
        end $$`);
    }
    this.addSql(`
      create or replace function tally_contract_moved() returns trigger language plpgsql as $$
      begin
        if old.status <> new.status then
          insert into tally_changes (name, key, n) values ('contract', old.status, -1), ('contract', new.status, 1);
        end if;
        if ${living('old')} <> ${living('new')} then
          insert into tally_changes (name, key, n) values ('living', 'agreement', case when ${living('new')} then 1 else -1 end);
        end if;
        return null;
      end $$`);
    this.addSql(`drop trigger tally_moved on "contracts"`);
    this.addSql(`
      create trigger tally_moved after update on "contracts" for each row
      when (old.status <> new.status or ${living('old')} <> ${living('new')}) execute function tally_contract_moved()`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "events" drop column "agreement_terms", drop column "agreement_scan_at";`);
    this.addSql(`update contracts set closed_at = null where closed_at is not null`);
    this.countLiving((row) => `(${isWaiting(row)})`);
    this.keepIndexes("status in ('generated', 'pending', 'rejected')", "status = 'pending'");
    this.addSql(`alter table "contracts" drop column "closed_at";`);
  }
}
