import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { databaseOf } from './database.ts';

/**
 * Returns why the login of the service may do too much: it could change the ledger, the audit and decisions.
 * @returns null for a login that only has the rights of `registry_application`
 */
export async function findRoleProblem(orm: MikroORM): Promise<string | null> {
  const { rows } = await sql<{ name: string; isSuperuser: boolean; ownsTables: boolean }>`
    select current_user::text as name, rolsuper as is_superuser,
      exists (
        select 1 from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and pg_has_role(current_user, relowner, 'usage')
      ) as owns_tables
    from pg_roles where rolname = current_user`.execute(databaseOf(orm.em.fork()));
  const [role] = rows;
  if (role === undefined) throw new Error('the database does not know its own role');
  if (role.isSuperuser) return `DATABASE_URL: the role ${role.name} is a superuser`;
  return role.ownsTables ? `DATABASE_URL: the role ${role.name} owns the tables, so it could change the ledger` : null;
}
