import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { readdirSync } from 'node:fs';
import { errorCode } from '../logging/error-code.ts';
import { databaseOf } from './database.ts';
import { migrationsPath } from './orm.ts';

const undefinedTable = '42P01';

/**
 * Returns a check that the database can be reached and has this release's migrations.
 *
 * A migration that a newer release adds while this process serves is accepted: migrations suit the running release too. At the start it is
 * refused, because this release may be older than the data.
 *
 * @param options.acceptsNewer whether to accept it at the start too, for a rollback
 */
export function createSchemaCheck(orm: MikroORM, options: { acceptsNewer: boolean }): () => Promise<void> {
  const wanted = readdirSync(migrationsPath)
    .filter((file) => /^Migration\w+\.ts$/.test(file))
    .map((file) => file.slice(0, -'.ts'.length));
  let { acceptsNewer } = options;
  return async () => {
    const applied = await readApplied(orm);
    if (applied.length === 0) throw new Error('The database has no tables. Run `npm run registry -- migrate`.');
    const missing = wanted.filter((name) => !applied.includes(name));
    if (missing.length > 0)
      throw new Error(`The database lacks ${missing.join(', ')}. Run \`npm run registry -- migrate\` of this release.`);
    const unknown = applied.filter((name) => !wanted.includes(name));
    if (unknown.length > 0 && !acceptsNewer)
      throw new Error(`The database was migrated by a newer release (${unknown.join(', ')}). Start that release.`);
    acceptsNewer = true;
  };
}

async function readApplied(orm: MikroORM): Promise<string[]> {
  try {
    const { rows } = await sql<{ name: string }>`select name from mikro_orm_migrations`.execute(databaseOf(orm.em.fork()));
    return rows.map(({ name }) => name);
  } catch (error) {
    if (errorCode(error) === undefinedTable) return [];
    throw error;
  }
}
