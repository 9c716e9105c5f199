import { Migration } from '@mikro-orm/migrations';

/** Whatever else shows `updated_at`: nobody changes these by the version that was read, but a client tells by it whether it has the newest. */
const versioned = ['applications', 'events', 'participants', 'registrations', 'contracts', 'contract_templates'];

/** What a process notes for itself: when it looks again, and that it reminded. Nobody who reads the record sees it. */
const notes = `'{due_at,remind_at,reminded_at}'::text[]`;

/** `updated_at` grows with every change of a row, as that of what administrators edit does (migration `catalog_editing`). */
export class Migration20261122191100_growing_versions extends Migration {
  override name = 'Migration20261122191100_growing_versions';

  override up(): void {
    for (const table of versioned)
      this.addSql(`
        create trigger ${table}_updated_at before update on "${table}" for each row
        when (to_jsonb(old) - ${notes} is distinct from to_jsonb(new) - ${notes}) execute function keep_updated_at_growing()`);
  }

  override down(): void {
    for (const table of versioned) this.addSql(`drop trigger ${table}_updated_at on "${table}"`);
  }
}
