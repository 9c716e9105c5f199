import { Migration } from '@mikro-orm/migrations';

/** A mail that the server refuses for now is tried again by itself, so that it holds up none behind it. */
export class Migration20261124150000_mail_tries extends Migration {
  override name = 'Migration20261124150000_mail_tries';

  override up(): void | Promise<void> {
    this.addSql(`alter table "notification_deliveries" add "tries" int not null default 0, add "retry_at" timestamptz null;`);
    this.addSql(`grant update ("tries", "retry_at") on "notification_deliveries" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql(`revoke update ("tries", "retry_at") on "notification_deliveries" from registry_application`);
    this.addSql(`alter table "notification_deliveries" drop column "tries", drop column "retry_at";`);
  }
}
