import type { MikroORM } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { openRegistry } from '../../registry/open-registry.ts';

/** Columns, constraints and indexes of the schema `$1`, by name. */
const tablesQuery = `
  select format('column %s.%s', c.relname, a.attname) as name, concat_ws(' ', format_type(a.atttypid, a.atttypmod),
    case when a.attnotnull then 'not null' end, 'default ' || pg_get_expr(d.adbin, d.adrelid)) as definition
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
  where c.relnamespace = $1::text::regnamespace and c.relkind in ('r', 'p') and c.relname <> 'mikro_orm_migrations'
  union all
  select format('constraint %s of %s', k.conname, c.relname), pg_get_constraintdef(k.oid)
  from pg_constraint k join pg_class c on c.oid = k.conrelid
  where c.relnamespace = $1::text::regnamespace and k.contype <> 't' and c.relname <> 'mikro_orm_migrations'
  union all
  select 'index ' || indexname, indexdef from pg_indexes where schemaname = $1::text and tablename <> 'mikro_orm_migrations'`;

/** What entities cannot say, by name: functions, triggers, sequences, rights of roles other than the owner. */
const guardsQuery = `
  select 'function ' || p.oid::regprocedure as name, pg_get_functiondef(p.oid) as definition
  from pg_proc p where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  union all
  select format('trigger %s of %s', t.tgname, t.tgrelid::regclass), pg_get_triggerdef(t.oid) || case t.tgenabled when 'O' then '' else ' (off)' end
  from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'public'::regnamespace and not t.tgisinternal
  union all
  select 'sequence ' || sequencename, data_type::text from pg_sequences where schemaname = 'public'
  union all
  select 'statistics ' || stxname, pg_get_statisticsobjdef(oid) from pg_statistic_ext where stxnamespace = 'public'::regnamespace
  union all
  select format('rights of %s on %s', case g.grantee when 0 then 'public' else g.grantee::regrole::text end, g.object),
    string_agg(lower(g.privilege_type), ' ' order by g.privilege_type)
  from (
    select c.relname::text as object, c.relowner as owner, (aclexplode(c.relacl)).* from pg_class c where c.relnamespace = 'public'::regnamespace
    union all
    select format('%s.%s', c.relname, a.attname), c.relowner, (aclexplode(a.attacl)).*
    from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = 'public'::regnamespace
    union all
    select p.oid::regprocedure::text, p.proowner, (aclexplode(p.proacl)).* from pg_proc p where p.pronamespace = 'public'::regnamespace
    union all
    select 'schema ' || n.nspname, n.nspowner, (aclexplode(n.nspacl)).* from pg_namespace n where n.nspname in ('public', 'partitions')
    union all
    select 'new objects of type ' || d.defaclobjtype::text, d.defaclrole, (aclexplode(d.defaclacl)).* from pg_default_acl d
  ) g where g.grantee <> g.owner group by 1`;

type Definitions = ReadonlyMap<string, string>;

/**
 * Compares a database with the entities, and with a new database that the migrations make on the same server, for which its role must be
 * allowed to create databases. Changes nothing in the database.
 *
 * @returns one line for each difference, with the name of the column, constraint, index, function, trigger or right; empty without any
 */
export async function findDrift(databaseUrl: string): Promise<string[]> {
  const { wanted, found, all } = await inDatabase(databaseUrl, async (orm, client) => ({
    found: await read(client, tablesQuery, 'public'),
    wanted: await describeEntities(orm, client),
    all: await describe(client),
  }));
  // Entities cannot say options of an index, nor how a table is partitioned.
  const plain = (definition: string) => definition.replace(' WITH (fastupdate=off)', '').replace(' ON ONLY ', ' ON ');
  const fromEntities = compare('the entities', wanted, found, plain);
  const fromMigrations = compare('the migrations', await describeNewDatabase(databaseUrl), all);
  return [...new Map([...fromMigrations, ...fromEntities]).values()].toSorted();
}

/** Describes the tables as the entities make them in a schema of their own, which is rolled back. */
async function describeEntities(orm: MikroORM, client: Client): Promise<Definitions> {
  await client.query('begin');
  try {
    await client.query(`create schema wanted; set local search_path to wanted; ${await orm.schema.getCreateSchemaSQL({ wrap: false })}`);
    return await read(client, tablesQuery, 'wanted');
  } finally {
    await client.query('rollback');
  }
}

async function describeNewDatabase(databaseUrl: string): Promise<Definitions> {
  const url = new URL(databaseUrl);
  const name = `migration_check_${randomBytes(6).toString('hex')}`;
  url.pathname = name;
  return inDatabase(databaseUrl, async (_orm, client) => {
    await client.query(`create database ${name}`);
    try {
      return await inDatabase(url.href, async (orm, made) => {
        await orm.migrator.up();
        return describe(made);
      });
    } finally {
      await client.query(`drop database ${name} with (force)`);
    }
  });
}

async function describe(client: Client): Promise<Definitions> {
  return new Map([...(await read(client, tablesQuery, 'public')), ...(await read(client, guardsQuery))]);
}

/** Definitions by name, without the name of the schema. */
async function read(client: Client, query: string, schema?: string): Promise<Definitions> {
  const { rows } = await client.query<{ name: string; definition: string }>(query, schema === undefined ? [] : [schema]);
  return new Map(rows.map(({ name, definition }) => [name, definition.replaceAll(`${schema ?? 'public'}.`, '')]));
}

/** Lines by name. */
function compare(source: string, wanted: Definitions, found: Definitions, plain = (definition: string) => definition): [string, string][] {
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((name): [string, string][] => {
    const [expected, actual] = [wanted.get(name), found.get(name)];
    if (expected === undefined) return [[name, `${name}: not in ${source}`]];
    if (actual === undefined) return [[name, `${name}: missing; ${source} have it`]];
    if (plain(expected) === plain(actual)) return [];
    // The texts of functions are long.
    const texts = expected.includes('\n') ? '' : `: ${expected}; the database has: ${actual}`;
    return [[name, `${name}: not as in ${source}${texts}`]];
  });
}

async function inDatabase<Result>(databaseUrl: string, work: (orm: MikroORM, client: Client) => Promise<Result>): Promise<Result> {
  const orm = await openRegistry(databaseUrl, 2);
  const client = new Client({ connectionString: databaseUrl });
  try {
    await client.connect();
    return await work(orm, client);
  } finally {
    await client.end();
    await orm.close(true);
  }
}
