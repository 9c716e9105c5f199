import { Migration } from '@mikro-orm/migrations';

/** Who sends to an account now: a round of many, or the process of its delivery, and never both. */
export class Migration20261123100000_delivery_holds extends Migration {
  override name = 'Migration20261123100000_delivery_holds';

  override up(): void | Promise<void> {
    this.addSql(
      `create table "delivery_holds" ("user_id" int not null, "holder" varchar(80) not null, "until" timestamptz not null, primary key ("user_id"));`,
    );
    this.addSql(
      `alter table "delivery_holds" add constraint "delivery_holds_delivery_fk" foreign key ("user_id") references "deliveries" ("user_id") on delete cascade;`,
    );
    this.addSql(`grant insert, update, delete on "delivery_holds" to registry_application`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop table "delivery_holds"`);
  }
}
