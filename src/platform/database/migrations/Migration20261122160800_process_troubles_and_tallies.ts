import { Migration } from '@mikro-orm/migrations';

/** The status of each counted kind of record, and when a record of it has a process; as the entities' indexes of what lives say it. */
const counted = [
  {
    kind: 'application',
    table: 'applications',
    process: 'application',
    isLiving: "{row}.status in ('draft', 'submitted', 'changes', 'approved')",
  },
  {
    kind: 'document',
    table: 'documents',
    process: 'document',
    isLiving: "({row}.status in ('pending', 'changes') or {row}.status = 'approved' and {row}.expires_at is not null)",
  },
  {
    kind: 'profile',
    table: 'profiles',
    process: 'profile',
    isLiving: "({row}.status in ('pending', 'changes') or {row}.photo_status in ('pending', 'changes'))",
  },
  { kind: 'event', table: 'events', process: 'event', isLiving: "{row}.status in ('draft', 'in_progress', 'published')" },
  { kind: 'registration', table: 'registrations', process: 'registration', isLiving: '{row}.due_at is not null' },
  { kind: 'contract', table: 'contracts', process: 'agreement', isLiving: "{row}.status in ('generated', 'pending', 'rejected')" },
  { kind: 'invoice', table: 'invoices', process: 'invoice', isLiving: '{row}.next_ask_at is not null' },
  { kind: 'national_export', table: 'national_exports', process: 'national-export', isLiving: '{row}.due_at is not null' },
];

/** Rows of a statement as changes of the totals: by state, and of those that live. @param sign 1 where they came, -1 where they went */
const changesOf = ({ kind, process, isLiving }: (typeof counted)[number], rows: string, sign: 1 | -1) => `
  select '${kind}', r.status, ${sign} * count(*) from ${rows} r group by r.status
  union all
  select 'living', '${process}', ${sign} * count(*) from ${rows} r where ${isLiving.replaceAll('{row}', 'r')} having count(*) > 0`;

/**
 * Where steps of processes fail; what administrators had processes do; and totals that the overview reads instead of counting. A total is
 * never a row that commands share: they add their changes to `tally_changes`, and the sweeper moves these into `tallies`. Rows that come and
 * go are counted for each statement, changes of a row only where what is counted changes.
 */
export class Migration20261122160800_process_troubles_and_tallies extends Migration {
  override name = 'Migration20261122160800_process_troubles_and_tallies';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "process_troubles" ("process" varchar(100) not null, "step" varchar(60) not null, "kind" varchar(40) not null, "record_id" int not null, "since" timestamptz not null, "at" timestamptz not null, "tries" int not null, "code" varchar(60) not null, "is_stuck" boolean not null, primary key ("process", "step"));`,
    );
    this.addSql(`create index "process_troubles_stuck_index" on "process_troubles" ("since", "process") where is_stuck;`);
    this.addSql(`grant insert, update, delete on "process_troubles" to registry_application`);

    this.addSql(
      `create table "process_actions" ("id" serial primary key, "process" varchar(100) not null, "action" varchar(20) not null, "reason" text not null, "actor_id" int not null, "request_id" varchar(64) not null, "at" timestamptz not null);`,
    );
    this.addSql(`create index "process_actions_process_index" on "process_actions" ("process", "id");`);
    this.addSql(
      `alter table "process_actions" add constraint "process_actions_actor_fk" foreign key ("actor_id") references "users" ("id");`,
    );
    this.addSql(`
      create trigger process_actions_append_only before update or delete or truncate on "process_actions"
      for each statement execute function refuse_change_of_append_only_row()`);
    this.addSql(`grant insert on "process_actions" to registry_application`);
    this.addSql(`grant usage, select on sequence "process_actions_id_seq" to registry_application`);

    this.addSql(
      `create table "tallies" ("name" varchar(40) not null, "key" varchar(60) not null, "n" bigint not null, primary key ("name", "key"));`,
    );
    this.addSql(
      `create table "tally_changes" ("id" bigserial primary key, "name" varchar(40) not null, "key" varchar(60) not null, "n" bigint not null);`,
    );
    this.addSql(`grant insert, update on "tallies" to registry_application`);
    this.addSql(`grant insert, delete on "tally_changes" to registry_application`);
    this.addSql(`grant usage, select on sequence "tally_changes_id_seq" to registry_application`);
    // The triggers first: making one waits for the writers of its table and keeps new ones out, so nothing falls between it and the count.
    for (const records of counted) this.keepTally(records);
    this.keepMoney();
    this.fill();
  }

  private keepTally(records: (typeof counted)[number]): void {
    const { kind, table, process, isLiving } = records;
    const living = (row: string) => isLiving.replaceAll('{row}', row);
    this.addSql(`
      create function tally_${kind}_made() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) ${changesOf(records, 'fresh', 1)};
        return null;
      end $$`);
    this.addSql(`
      create function tally_${kind}_gone() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n) ${changesOf(records, 'gone', -1)};
        return null;
      end $$`);
    this.addSql(`
      create function tally_${kind}_moved() returns trigger language plpgsql as $$
      begin
        if old.status <> new.status then
          insert into tally_changes (name, key, n) values ('${kind}', old.status, -1), ('${kind}', new.status, 1);
        end if;
        if (${living('old')}) <> (${living('new')}) then
          insert into tally_changes (name, key, n) values ('living', '${process}', case when ${living('new')} then 1 else -1 end);
        end if;
        return null;
      end $$`);
    this.addSql(`
      create trigger tally_made after insert on "${table}" referencing new table as fresh
      for each statement execute function tally_${kind}_made()`);
    this.addSql(`
      create trigger tally_gone after delete on "${table}" referencing old table as gone
      for each statement execute function tally_${kind}_gone()`);
    this.addSql(`
      create trigger tally_moved after update on "${table}" for each row
      when (old.status <> new.status or (${living('old')}) <> (${living('new')})) execute function tally_${kind}_moved()`);
  }

  /** The ledger is only added to. */
  private keepMoney(): void {
    this.addSql(`
      create function tally_money() returns trigger language plpgsql as $$
      begin
        insert into tally_changes (name, key, n)
        select 'money', split_part(account, ':', 1), sum(amount_minor) from fresh group by 2;
        return null;
      end $$`);
    this.addSql(`
      create trigger tally_made after insert on "ledger_entries" referencing new table as fresh
      for each statement execute function tally_money()`);
  }

  private fill(): void {
    for (const records of counted) this.addSql(`insert into tallies (name, key, n) ${changesOf(records, `"${records.table}"`, 1)}`);
    this.addSql(
      `insert into tallies (name, key, n) select 'money', split_part(account, ':', 1), sum(amount_minor) from ledger_entries group by 2`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql('drop trigger tally_made on "ledger_entries"');
    this.addSql('drop function tally_money()');
    for (const { kind, table } of counted) {
      for (const what of ['made', 'gone', 'moved']) {
        this.addSql(`drop trigger tally_${what} on "${table}"`);
        this.addSql(`drop function tally_${kind}_${what}()`);
      }
    }
    for (const table of ['tally_changes', 'tallies', 'process_actions', 'process_troubles'])
      this.addSql(`drop table if exists "${table}" cascade;`);
  }
}
