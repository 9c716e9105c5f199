import { Migration } from '@mikro-orm/migrations';

const appendOnly = ['ledger_transactions', 'ledger_entries', 'audit_events', 'bank_answers', 'review_decisions'];

/**
 * What the tables cannot say by themselves: the ledger's sum, rows that are written once, and the application's role,
 * which is `registry_application`: the login of the API and the workers is a member of it and owns nothing.
 */
export class Migration20261121070000_guards extends Migration {
  override up(): void {
    this.addSql(`insert into "sandbox_clock" ("id", "offset_seconds") values (1, 0)`);

    this.addSql(`
      create function ledger_transaction_sums_to_zero() returns trigger language plpgsql as $$
      begin
        if (select coalesce(sum(amount_minor), 0) from ledger_entries where transaction_id = new.transaction_id) <> 0 then
          raise exception 'ledger transaction % does not sum to zero', new.transaction_id
            using errcode = 'check_violation', constraint = 'ledger_entries_sum_to_zero', table = 'ledger_entries';
        end if;
        return null;
      end $$`);
    this.addSql(`
      create constraint trigger ledger_entries_sum_to_zero after insert on "ledger_entries"
      deferrable initially deferred for each row execute function ledger_transaction_sums_to_zero()`);

    this.addSql(`
      create function refuse_change_of_append_only_row() returns trigger language plpgsql as $$
      begin
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$`);
    for (const table of appendOnly) {
      this.addSql(`
        create trigger ${table}_append_only before update or delete or truncate on "${table}"
        for each statement execute function refuse_change_of_append_only_row()`);
    }

    this.addSql(`
      do $$ begin
        if not exists (select from pg_roles where rolname = 'registry_application') then create role registry_application nologin; end if;
      exception when duplicate_object or unique_violation then null;
      end $$`);
    this.addSql('grant usage on schema public to registry_application');
    this.addSql('grant select, insert, update, delete on all tables in schema public to registry_application');
    this.addSql('grant usage, select on all sequences in schema public to registry_application');
    for (const table of appendOnly) this.addSql(`revoke update, delete on "${table}" from registry_application`);
    this.addSql('alter default privileges in schema public grant select, insert, update, delete on tables to registry_application');
    this.addSql('alter default privileges in schema public grant usage, select on sequences to registry_application');
  }

  override down(): void {
    for (const table of appendOnly) this.addSql(`drop trigger ${table}_append_only on "${table}"`);
    this.addSql('drop function refuse_change_of_append_only_row()');
    this.addSql('drop trigger ledger_entries_sum_to_zero on "ledger_entries"');
    this.addSql('drop function ledger_transaction_sums_to_zero()');
    this.addSql('delete from "sandbox_clock"');
  }
}
