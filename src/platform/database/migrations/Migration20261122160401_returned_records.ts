import { Migration } from '@mikro-orm/migrations';

/** The administrators' queue finds what was returned to its owners by an index, as it finds what waits. */
export class Migration20261122160401_returned_records extends Migration {
  override name = 'Migration20261122160401_returned_records';

  override up(): void | Promise<void> {
    this.addSql(
      `create index "applications_returned_index" on "applications" ("submitted_at") where status = 'changes' and kind <> 'national_certificate';`,
    );
    this.addSql(`create index "documents_returned_index" on "documents" ("updated_at", "id") where status = 'changes';`);
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "documents_returned_index";`);
    this.addSql(`drop index "applications_returned_index";`);
  }
}
