import { Migration } from '@mikro-orm/migrations';

/** When an account last lost a right to read, so that answers stored before are not replayed. */
export class Migration20261127132307_rights_narrowed extends Migration {
  override name = 'Migration20261127132307_rights_narrowed';

  override async up(): Promise<void> {
    this.addSql(`alter table users add column rights_narrowed_at timestamptz;`);
  }
}
