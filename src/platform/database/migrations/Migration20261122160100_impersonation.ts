import { Migration } from '@mikro-orm/migrations';

/** An administrator's session may be turned to somebody's account; security events name both, as the audit does. */
export class Migration20261122160100_impersonation extends Migration {
  override name = 'Migration20261122160100_impersonation';

  override up(): void | Promise<void> {
    this.addSql(
      `alter table "sessions" add "impersonated_user_id" int null, add "impersonation_started_at" timestamptz null, add "impersonation_expires_at" timestamptz null;`,
    );
    this.addSql(
      `alter table "sessions" add constraint "sessions_impersonated_user_fk" foreign key ("impersonated_user_id") references "users" ("id") on delete cascade;`,
    );
    this.addSql(
      `alter table "sessions" add constraint "sessions_impersonation_whole" check (num_nulls(impersonated_user_id, impersonation_started_at, impersonation_expires_at) in (0, 3));`,
    );
    this.addSql(
      `create index "sessions_impersonated_user_index" on "sessions" ("impersonated_user_id") where impersonated_user_id is not null;`,
    );
    this.addSql(
      `create index "sessions_impersonation_expiry_index" on "sessions" ("impersonation_expires_at") where impersonation_expires_at is not null;`,
    );

    this.addSql(`alter table "security_events" add "impersonated_user_id" int null;`);
  }

  override down(): void | Promise<void> {
    this.addSql(`alter table "security_events" drop column "impersonated_user_id";`);

    this.addSql(`drop index "sessions_impersonation_expiry_index";`);
    this.addSql(`drop index "sessions_impersonated_user_index";`);
    this.addSql(`alter table "sessions" drop constraint "sessions_impersonation_whole";`);
    this.addSql(`alter table "sessions" drop constraint "sessions_impersonated_user_fk";`);
    this.addSql(
      `alter table "sessions" drop column "impersonated_user_id", drop column "impersonation_started_at", drop column "impersonation_expires_at";`,
    );
  }
}
