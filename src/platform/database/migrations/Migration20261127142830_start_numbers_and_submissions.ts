import { Migration } from '@mikro-orm/migrations';

export class Migration20261127142830_start_numbers_and_submissions extends Migration {
  override name = 'Migration20261127142830_start_numbers_and_submissions';

  override up(): void | Promise<void> {
    this.addSql(`alter table "registration_history" add "start_number" varchar(20) null;`);

    this.addSql(
      `alter table "registration_settings" add "submissions_told_at" timestamptz null, add "has_untold_submissions" boolean not null default false;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "registration_history" drop column "start_number";`);

    this.addSql(`alter table "registration_settings" drop column "submissions_told_at", drop column "has_untold_submissions";`);
  }
}
