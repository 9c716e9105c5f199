import { Connection } from '@temporalio/client';
import type { MikroORM } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { searchAttributes } from '../../workflows/contracts/process.contract.ts';
import { findSigningProblem } from '../areas/credentials/index.ts';
import type { Variables } from '../registry/config.ts';
import { openRegistry } from '../registry/open-registry.ts';
import { createBank } from '../platform/bank/http-bank.ts';
import { createSchemaCheck } from '../platform/database/check-schema.ts';
import { databaseOf } from '../platform/database/database.ts';
import { findRoleProblem } from '../platform/database/service-role.ts';
import { causeOf } from '../platform/logging/log.ts';
import { createMailer } from '../platform/mail/create-mailer.ts';
import { createScanner } from '../platform/scanner/clamd-scanner.ts';
import { createStorage } from '../platform/storage/create-storage.ts';
import { temporalConnectionOptions, temporalProblem } from '../platform/workflows/connect.ts';

/** Result of one check. `weak`: it works, and an operator should change it. */
export interface Finding {
  verdict: 'ok' | 'weak' | 'wrong';
  part: string;
  words: string;
}

type Check = (config: Variables) => Promise<Omit<Finding, 'part'>>;

/** Time limit of one check, milliseconds. */
const checkMs = 20_000;
const temporalMs = 5_000;
const hourSeconds = 3_600;
/** Finished processes stay visible for support that long. */
const leastRetentionDays = 7;

/** Each part of an installation with the check that tries it; null for a part that the configuration does not use. */
const checks: Record<string, Check> = {
  'database, service': checkServiceRole,
  'database, owner': checkOwnerRole,
  'database, schema': (config) =>
    withDatabase(config.DATABASE_URL, async (orm) => {
      await createSchemaCheck(orm, { acceptsNewer: config.UNSAFE_SETTINGS.includes('newer_schema') })();
      return ok('this release');
    }),
  'signing key': (config) =>
    withDatabase(config.DATABASE_URL, async (orm) => {
      const problem = await findSigningProblem(databaseOf(orm.em.fork()), config.ENCRYPTION_KEY);
      return problem === null ? ok('in effect') : { verdict: 'wrong', words: problem };
    }),
  temporal: checkTemporal,
  storage: checkStorage,
  mail: async (config) => {
    const { check } = createMailer(config);
    if (check === undefined) return { verdict: 'weak', words: 'SMTP_URL is missing: mails are written to files' };
    await check();
    return ok('connected and logged in; nothing was sent');
  },
  bank: async (config) => {
    const bank = createBank({
      url: config.BANK_URL,
      terminal: config.BANK_TERMINAL,
      secret: config.BANK_SECRET,
      timeoutMs: config.BANK_TIMEOUT_SECONDS * 1000,
    });
    if (!bank.enabled) return { verdict: 'weak', words: 'BANK_URL is missing: payments answer 503' };
    await bank.check();
    return ok('answers; no invoice was asked about');
  },
  'second factors': async (config) =>
    config.ENCRYPTION_KEY === undefined
      ? { verdict: 'weak', words: 'ENCRYPTION_KEY is missing: no second factor can be set up' }
      : ok(config.SECOND_FACTOR === 'administrators' ? 'administrators need one' : 'optional; SECOND_FACTOR=administrators demands them'),
  scanner: checkScanner,
};

/**
 * Tries each part of an installation (`npm run registry -- check`). Leaves nothing behind: the object that it stores is deleted.
 * @param config already checked by `loadConfig`, which finds unsafe settings
 */
export async function checkProduction(config: Variables): Promise<Finding[]> {
  return Promise.all(
    Object.entries(checks).map(async ([part, check]): Promise<Finding> => {
      try {
        return { part, ...(await withDeadline(check(config))) };
      } catch (error) {
        return { part, verdict: 'wrong', words: causeOf(error) };
      }
    }),
  );
}

async function withDeadline<Result>(checked: Promise<Result>): Promise<Result> {
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => deadline.reject(new Error(`no answer within ${checkMs / 1000} s`)), checkMs);
  try {
    return await Promise.race([checked, deadline.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function ok(words: string): Omit<Finding, 'part'> {
  return { verdict: 'ok', words };
}

async function withDatabase<Result>(url: string | undefined, use: (orm: MikroORM) => Promise<Result>): Promise<Result> {
  if (url === undefined) throw new Error('DATABASE_URL is missing');
  const orm = await openRegistry(url, 1);
  try {
    return await use(orm);
  } finally {
    await orm.close(true);
  }
}

function checkServiceRole(config: Variables): ReturnType<Check> {
  return withDatabase(config.DATABASE_URL, async (orm) => {
    const problem = await findRoleProblem(orm);
    if (problem !== null)
      return { verdict: config.UNSAFE_SETTINGS.includes('privileged_database_role') ? 'weak' : 'wrong', words: problem };
    const { rows } = await sql<{ name: string; isMember: boolean; version: number }>`
      select current_user::text as name, current_setting('server_version_num')::int / 10000 as version,
        exists (select 1 from pg_roles where rolname = 'registry_application' and pg_has_role(current_user, oid, 'member')) as is_member`.execute(
      databaseOf(orm.em.fork()),
    );
    const [role] = rows;
    if (role?.isMember !== true) throw new Error('The login is no member of registry_application. Run `npm run registry -- migrate`.');
    if (role.version < 15) throw new Error(`PostgreSQL ${role.version} is too old: 15 or newer is required.`);
    return ok(`${role.name} on PostgreSQL ${role.version}; cannot change the ledger`);
  });
}

function checkOwnerRole(config: Variables): ReturnType<Check> {
  if (config.MIGRATION_DATABASE_URL === undefined)
    return Promise.resolve({
      verdict: 'weak',
      words: 'MIGRATION_DATABASE_URL is missing here: `npm run registry -- migrate` needs the role that owns the tables',
    });
  return withDatabase(config.MIGRATION_DATABASE_URL, async (orm) => {
    const { rows } = await sql<{ name: string; mayCreate: boolean }>`
      select current_user::text as name, has_schema_privilege(current_user, 'public', 'create') as may_create`.execute(
      databaseOf(orm.em.fork()),
    );
    const [role] = rows;
    if (role?.mayCreate !== true) throw new Error(`The role ${role?.name ?? ''} may not create tables in the schema public.`);
    return ok(`${role.name} may create tables`);
  });
}

async function checkTemporal(config: Variables): ReturnType<Check> {
  const { TEMPORAL_ADDRESS: address, TEMPORAL_NAMESPACE: namespace } = config;
  const place = `${address}, namespace ${namespace}`;
  const connection = Connection.lazy(await temporalConnectionOptions(config));
  try {
    const [{ config: settings }, { customAttributes }] = await connection.withDeadline(Date.now() + temporalMs, async () => [
      await connection.workflowService.describeNamespace({ namespace }),
      await connection.operatorService.listSearchAttributes({ namespace }),
    ]);
    const missing = Object.values(searchAttributes).filter(({ name }) => !Object.hasOwn(customAttributes, name));
    if (missing.length > 0)
      return { verdict: 'weak', words: `${place}: ${missing.length} search attributes are missing; the first worker registers them` };
    const days = Number(String(settings?.workflowExecutionRetentionTtl?.seconds ?? 0)) / (24 * hourSeconds);
    if (days < leastRetentionDays)
      return {
        verdict: 'weak',
        words: `${place}: finished processes are kept for ${days} days; ${leastRetentionDays} or more help support`,
      };
    return ok(`${place}; kept for ${days} days`);
  } catch (error) {
    throw temporalProblem(error, place);
  } finally {
    await connection.close();
  }
}

async function checkStorage(config: Variables): ReturnType<Check> {
  const storage = await createStorage(config);
  const key = `check/${randomUUID()}`;
  const content = Buffer.from('check');
  await storage.put(key, content, { contentType: 'text/plain', size: content.length });
  try {
    const stored = await storage.stat(key);
    if (stored?.size !== content.length) throw new Error('The stored object cannot be read.');
  } finally {
    await storage.delete(key);
  }
  if (config.STORAGE === 's3') return ok(`bucket ${config.S3_BUCKET}: an object was stored and deleted`);
  return config.ALLOW_SHARED_DISK
    ? ok('disk: a file was stored and deleted')
    : { verdict: 'weak', words: 'disk: a file was stored and deleted; one API process only, unless ALLOW_SHARED_DISK=true' };
}

async function checkScanner(config: Variables): ReturnType<Check> {
  const scanner = createScanner(config);
  if (scanner === null) return { verdict: 'weak', words: 'CLAMAV_URL is missing: uploads are not scanned for viruses' };
  const folder = await mkdtemp(join(tmpdir(), 'check-'));
  try {
    const path = join(folder, 'clean.txt');
    await writeFile(path, 'check');
    const { isInfected } = await scanner.scan(path);
    if (isInfected) throw new Error('The scanner calls a clean file infected.');
    return ok('a clean file passed');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
