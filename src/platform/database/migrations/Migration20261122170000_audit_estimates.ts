import { Migration } from '@mikro-orm/migrations';

/**
 * How many actions, actors and kinds the planner takes the audit to know. It may plan a filter once for all values, and by the common ones it would
 * look through the newest events; what is rare would then be sought through the whole table. With a thousand of each it goes by the filter's own index.
 */
export class Migration20261122170000_audit_estimates extends Migration {
  override name = 'Migration20261122170000_audit_estimates';

  override up(): void {
    for (const table of tables)
      for (const column of columns) this.addSql(`alter table "${table}" alter column "${column}" set (n_distinct = 1000);`);
  }

  override down(): void {
    for (const table of tables)
      for (const column of columns) this.addSql(`alter table "${table}" alter column "${column}" reset (n_distinct);`);
  }
}

const tables = ['audit_events', 'security_events'];
const columns = ['action', 'actor_id', 'subject_kind'];
