import { Migration } from '@mikro-orm/migrations';

/** Rows that are changed by the `updated_at` that was read. */
const versioned = ['services', 'profiles', 'documents', 'users'];

/** The catalog as administrators edit it, and corrections of records: by versions that never repeat. */
export class Migration20261122160300_catalog_editing extends Migration {
  override name = 'Migration20261122160300_catalog_editing';

  override up(): void | Promise<void> {
    this.addSql(`alter table "base_indexes" add column "in_use" boolean not null default false;`);
    // What was submitted so far tells which index it was priced by.
    this.addSql(`
      update base_indexes b set in_use = true where exists (
        select 1 from applications a where a.submitted_at is not null and a.year >= b.year
          and (a.breakdown -> 0 ->> 'mrp_minor')::bigint = b.amount_minor)`);

    // Whoever changes a row: a set of rows past the entities, a command in the same millisecond as another, one by a clock that is behind.
    this.addSql(`
      create function keep_updated_at_growing() returns trigger language plpgsql as $$
      begin
        new.updated_at := greatest(new.updated_at, date_trunc('milliseconds', old.updated_at) + interval '1 millisecond');
        return new;
      end $$`);
    for (const table of versioned)
      this.addSql(`
        create trigger ${table}_updated_at before update on "${table}" for each row
        when (old.* is distinct from new.*) execute function keep_updated_at_growing()`);

    this.addSql('grant update on "services" to registry_application');
    this.addSql('grant insert, delete on "service_disciplines" to registry_application');
    this.addSql('grant insert, update on "base_indexes" to registry_application');
  }

  override down(): void | Promise<void> {
    this.addSql('revoke insert, update on "base_indexes" from registry_application');
    this.addSql('revoke insert, delete on "service_disciplines" from registry_application');
    this.addSql('revoke update on "services" from registry_application');
    for (const table of versioned) this.addSql(`drop trigger ${table}_updated_at on "${table}"`);
    this.addSql('drop function keep_updated_at_growing()');
    this.addSql(`alter table "base_indexes" drop column "in_use";`);
  }
}
