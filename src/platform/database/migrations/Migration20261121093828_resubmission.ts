import { Migration } from '@mikro-orm/migrations';

export class Migration20261121093828_resubmission extends Migration {
  override name = 'Migration20261121093828_resubmission';

  override up(): void | Promise<void> {
    this.addSql(`alter table "applications" add "resubmission_due_since" timestamptz null;`);
    this.addSql(
      `alter table "applications" add constraint "applications_resubmission_of_issued" check (resubmission_due_since is null or (approved_at is not null and status not in ('draft', 'submitted')));`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "applications" drop constraint "applications_resubmission_of_issued";`);
    this.addSql(`alter table "applications" drop column "resubmission_due_since";`);
  }
}
