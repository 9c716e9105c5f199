import { Migration } from '@mikro-orm/migrations';

/** Index for the metrics of waiting deliveries: their number and the oldest of each channel. */
export class Migration20261125000001_waiting_deliveries extends Migration {
  override name = 'Migration20261125000001_waiting_deliveries';

  override async up(): Promise<void> {
    this.addSql('create index notification_deliveries_waiting_index on notification_deliveries (channel, created_at);');
  }
}
