import { Migration } from '@mikro-orm/migrations';

/** The invoices of an account by status, newest first. */
export class Migration20261127141000_invoice_lists extends Migration {
  override name = 'Migration20261127141000_invoice_lists';

  override async up(): Promise<void> {
    this.addSql('create index invoices_owner_status_index on invoices (owner_id, status, id)');
  }
}
