import { Migration } from '@mikro-orm/migrations';

/** The exports of one list, newest first, for administrators. */
export class Migration20261130050000_exports_of_a_list extends Migration {
  override name = 'Migration20261130050000_exports_of_a_list';

  override up(): void {
    this.addSql('create index "national_exports_list_index" on "national_exports" ("list", "id")');
  }
}
