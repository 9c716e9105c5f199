import { Migration } from '@mikro-orm/migrations';

export class Migration20261121081159_one_athlete_per_iin extends Migration {
  override name = 'Migration20261121081159_one_athlete_per_iin';

  override up(): void | Promise<void> {
    this.addSql(`drop index "profiles_one_athlete_per_owner";`);
    this.addSql(
      `create unique index "profiles_one_athlete_per_iin" on "profiles" ("owner_id", "iin") where kind = 'athlete' and iin is not null;`,
    );
  }

  override down(): void | Promise<void> {
    this.addSql(`drop index "profiles_one_athlete_per_iin";`);
    this.addSql(`create unique index "profiles_one_athlete_per_owner" on "profiles" ("owner_id") where kind = 'athlete';`);
  }
}
