import { Migration } from '@mikro-orm/migrations';

/** The rights and guards of an erasure (PRV-3). */
export class Migration20261130080000_erasure extends Migration {
  override name = 'Migration20261130080000_erasure';

  override up(): void {
    this.addSql('alter table users add erased_at timestamptz');
    // An erasure takes what identifies a person out of rows that otherwise never change. The grants below name the columns.
    this.addSql(`create or replace function refuse_change_of_append_only_row() returns trigger language plpgsql as $$
      begin
        if tg_op = 'UPDATE' and current_setting('registry.erasure', true) = 'on' then
          return null;
        end if;
        raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
      end $$`);
    this.addSql('grant update (ip) on audit_events to registry_application');
    this.addSql('grant update (note) on review_decisions to registry_application');
    this.addSql('grant update (reason) on ledger_transactions, registration_history, ownership_transfers to registry_application');
    this.addSql(`grant delete on second_factor_removals, api_keys, contact_messages, notifications, notification_preferences, streams,
      conversations, messages, archived_vehicles, account_exports to registry_application`);
    this.addSql('create index second_factor_removals_user_index on second_factor_removals (user_id)');
  }
}
