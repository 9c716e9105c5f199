import { Migration } from '@mikro-orm/migrations';

/** When each change of a status list was made, so that an answer says up to when the list is complete. */
export class Migration20261127142411_status_list_change_times extends Migration {
  override name = 'Migration20261127142411_status_list_change_times';

  override async up(): Promise<void> {
    this.addSql(`alter table status_list_changes add column at timestamptz not null default now();`);
  }
}
