import { Migration } from '@mikro-orm/migrations';

export class Migration20261121095026_receipts_at extends Migration {
  override name = 'Migration20261121095026_receipts_at';

  override up(): void | Promise<void> {
    this.addSql(`create index "receipts_at_index" on "receipts" ("at");`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "receipts_at_index";`);
  }
}
