import { Client, Connection } from '@temporalio/client';
import { Client as DatabaseClient } from 'pg';
import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { apiPrefix } from '../../src/http/api-prefix.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { processRef } from '../../src/platform/workflows/process-ref.ts';
import { loadConfig } from '../../src/registry/config.ts';
import { closePlatform, createPlatform } from '../../src/registry/create-platform.ts';
import { migrateDatabase } from '../../src/registry/migrate-database.ts';
import { openRegistry } from '../../src/registry/open-registry.ts';
import { nodeFlags } from '../../src/tools/embedded/scripts.ts';
import { type Stack, startThrowawayStack } from '../../src/tools/embedded/stack.ts';
import { TestClient } from '../support/client.ts';
import { type InsertedPerson, type InsertOptions, insertPeople, openRecord } from '../support/factories.ts';
import { waitFor } from '../support/wait-for.ts';
import type { ProgramName } from './programs.ts';
import type { HeapReport, HeapRequest } from './report-heap.ts';

/** As in production, without the sandbox. The rate limits are high because the whole load has one address. */
const benchEnvironment = {
  NODE_ENV: undefined,
  SANDBOX: 'false',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_KEY_PER_MINUTE: '1000000000',
  RATE_LIMIT_PUBLIC_PER_MINUTE: '1000000000',
  RATE_LIMIT_CALLBACKS_PER_MINUTE: '1000000000',
  RATE_LIMIT_SESSIONS_PER_10_MINUTES: '100000',
  RATE_LIMIT_RESETS_PER_HOUR: '100000',
  RATE_LIMIT_STREAMS_PER_IP: '100000',
  MAX_CONNECTIONS_PER_IP: '100000',
};

/** @param env variables that this benchmark overrides */
export function startBenchStack(env: Record<string, string> = {}): Promise<Stack> {
  return startThrowawayStack({ env: { ...benchEnvironment, ...env } });
}

export function localUrl(stack: Stack): string {
  return `http://127.0.0.1:${stack.config.PORT}`;
}

/** Runs work with a platform on the stack's database and Temporal. @param env overrides, such as another database */
export async function withPlatform<T>(
  stack: Pick<Stack, 'env'>,
  work: (platform: Platform) => Promise<T>,
  env: Record<string, string> = {},
): Promise<T> {
  const platform = await createPlatform(loadConfig({ ...stack.env, ...env }), 'bench');
  try {
    return await work(platform);
  } finally {
    await closePlatform(platform);
  }
}

/** Runs work with a client of the stack's Temporal. */
export async function withTemporal<T>(stack: Stack, namespace: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address: stack.temporalAddress });
  try {
    return await work(new Client({ connection, namespace }));
  } finally {
    await connection.close();
  }
}

/** Runs work with a connection to a database. */
export async function withDatabase<T>(url: string, work: (database: DatabaseClient) => Promise<T>): Promise<T> {
  const database = new DatabaseClient({ connectionString: url });
  await database.connect();
  try {
    return await work(database);
  } finally {
    await database.end();
  }
}

/** Creates another database on the stack's server, migrated and seeded. @returns its URLs for its owner and for the application */
export async function makeDatabase(stack: Stack, name: string): Promise<{ owner: string; application: string }> {
  await withDatabase(stack.migrationDatabaseUrl, (database) => database.query(`create database ${name}`));
  const named = (url: string) => Object.assign(new URL(url), { pathname: `/${name}` }).href;
  const owner = named(stack.migrationDatabaseUrl);
  const orm = await openRegistry(owner, 3);
  await migrateDatabase(orm, new URL(stack.databaseUrl).username);
  await orm.close(true);
  return { owner, application: named(stack.databaseUrl) };
}

/** Registers another namespace; the server knows it everywhere a moment later. */
export async function makeNamespace(address: string, namespace: string): Promise<void> {
  const connection = await Connection.connect({ address });
  try {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 as never } });
  } finally {
    await connection.close();
  }
}

/** Does work for each item, `atOnce` at a time. */
export async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<unknown>): Promise<void> {
  const queue = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of queue) await work(item);
    }),
  );
}

/** A program in a child process. */
export interface Child {
  process: ChildProcess;
  pid: number;
  stop(): Promise<void>;
}

/**
 * Starts a program and waits until it reports `{ready: true}`.
 *
 * @param path relative to test/bench
 * @throws when the program ends instead
 */
export async function startChild(
  path: string,
  env: Record<string, string>,
  { reportsHeap = false, args = [] as string[] } = {},
): Promise<Child> {
  const child = fork(fileURLToPath(new URL(path, import.meta.url)), args, {
    env,
    execArgv: reportsHeap ? [...nodeFlags, '--import', new URL('report-heap.ts', import.meta.url).href] : nodeFlags,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`${path} ended with code ${String(code)}`)));
  await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => undefined);
  return {
    process: child,
    pid: child.pid ?? 0,
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

export const startApi = (env: Record<string, string>, options = {}) => startChild('../../src/api.ts', env, options);
export const startProgram = (name: ProgramName, env: Record<string, string>) => startChild('programs.ts', env, { args: [name] });

/**
 * Heap and external buffers of a program started with `reportsHeap`, after a garbage collection, MB. Unlike the resident memory, it grows
 * only when the program keeps data.
 */
export async function heapMb({ process: child }: Child): Promise<number> {
  const reported = once(child, 'message') as Promise<[HeapReport]>;
  child.send('report the heap' satisfies HeapRequest);
  const [{ heapBytes }] = await reported;
  return heapBytes / 1024 / 1024;
}

/** Signs the administrator in, as a browser. */
export async function signInAdministrator(stack: Stack): Promise<TestClient> {
  const client = new TestClient(localUrl(stack));
  await client.login(stack.administrator.email, stack.administrator.password);
  return client;
}

/** A program of the administrator that reviews. */
export async function makeReviewer(stack: Stack): Promise<TestClient> {
  return (await signInAdministrator(stack)).program(['admin:read', 'admin:write']);
}

/** Inserts people who are ready to apply, and starts the processes of the medical documents that are pending. */
export async function makePeople(
  stack: Stack,
  count: number,
  options: Omit<InsertOptions, 'dataDir' | 'administratorId'> = {},
): Promise<InsertedPerson[]> {
  const administratorId = await withDatabase(stack.migrationDatabaseUrl, async (database) => {
    const { rows } = await database.query<{ id: number }>("select id from users where role = 'administrator' order by id limit 1");
    return rows[0]?.id ?? 0;
  });
  await using record = openRecord(stack.migrationDatabaseUrl);
  const people = await insertPeople(record, count, { documentsExpireAt: null, dataDir: stack.dataDir, administratorId, ...options });
  const pending = people.filter((_, index) => options.isMedicalPending?.(index)).map((person) => person.documentIds[1]);
  await startProcesses(stack, pending);
  return people;
}

/** An application that can be submitted, and a client of its owner. */
export interface Draft {
  id: number;
  client: TestClient;
}

export async function makeDraft(stack: Stack, person: InsertedPerson): Promise<Draft> {
  const client = new TestClient(localUrl(stack), person.key);
  const body = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  return { id: client.expect(201, await client.post('/applications', body)).body.data.id, client };
}

/** As an upload does. Rows inserted by SQL woke no process, and the sweeper must not do it during a measurement. */
async function startProcesses(stack: Stack, documentIds: readonly number[]): Promise<void> {
  if (documentIds.length === 0) return;
  await withPlatform(stack, ({ processes }) =>
    inParallel(documentIds, 8, (id) => processes.wake({ process: processRef('document', id), requestId: randomUUID() })),
  );
}

/** Waits until every running process has completed its first workflow task, so that preparations do not delay the measurement. */
export async function untilSettled(stack: Stack, namespace = stack.config.TEMPORAL_NAMESPACE): Promise<void> {
  await withTemporal(stack, namespace, async (client) => {
    const running = [];
    for await (const { workflowId } of client.workflow.list({ query: "ExecutionStatus = 'Running'" })) running.push(workflowId);
    await inParallel(running, 16, (workflowId) =>
      waitFor(
        async () => (await client.workflow.getHandle(workflowId).describe()).historyLength,
        (length) => length >= 5,
        `the first workflow task of ${workflowId}`,
        120_000,
      ),
    );
  });
}

/** Event types of a process's history. */
export async function eventsOf(stack: Stack, workflowId: string, namespace = stack.config.TEMPORAL_NAMESPACE): Promise<string[]> {
  return withTemporal(stack, namespace, async (client) => {
    const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
    return (events ?? []).map((event) => Object.keys(event).find((name) => name.endsWith('EventAttributes')) ?? '');
  });
}

export function countEvents(events: readonly string[]): string {
  const of = (word: string) => events.filter((event) => event.startsWith(word)).length;
  return `${events.length} events, ${of('workflowExecutionUpdateAccepted')} commands, ${of('activityTaskScheduled')} activities, ${of('workflowTaskCompleted')} workflow tasks`;
}

/**
 * Fills a database with paid, approved applications and valid certificates, each with an owner, a profile and a document of its own. Skips
 * the constraint triggers, which take minutes for a million rows. Nothing is due before the end of the year, and no process runs.
 *
 * @param tokens how many tokens to return, spread over all certificates
 * @param documentsExpireAt last day of the documents; a document without one needs no process
 */
export async function insertCertificates(
  databaseUrl: string,
  count: number,
  tokens: number,
  documentsExpireAt: string | null = '2034-01-10',
): Promise<string[]> {
  return withDatabase(databaseUrl, async (owner) => {
    await owner.query("set session_replication_role = 'replica'");
    await owner.query('set synchronous_commit = off');
    for (const sql of bulkStatements(documentsExpireAt)) await owner.query(sql, [count]);
    // Vacuum marks a page as visible to all only when its changes are on disk; without the mark, an index-only scan reads the table too.
    await owner.query('checkpoint');
    for (const table of ['users', 'profiles', 'files', 'documents', 'applications', 'application_documents', 'certificates'])
      await owner.query(`vacuum analyze ${table}`);
    await owner.query('checkpoint');
    const { rows } = await owner.query<{ token: string }>(
      'select token from certificates where application_id % greatest(1, $1::int / nullif($2::int, 0)) = 0 order by md5(token) limit $2',
      [count, tokens],
    );
    return rows.map(({ token }) => token);
  });
}

const year = `extract(year from now() at time zone interval '5 hours')::int`;
const yearEnd = `make_timestamptz(${year} + 1, 1, 1, 0, 0, 0, '+05:00')`;
const bulkStatements = (documentsExpireAt: string | null) => [
  `insert into users (id, email, password_hash, name, role, status, created_at, updated_at)
   select n, 'bulk-' || n || '@example.kz', 'not a password hash', 'Person ' || n, 'user', 'active', now(), now() from generate_series(1, $1::int) n
   on conflict do nothing`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
   select '00000000-0000-4000-8000-000000000001', 1, 'photo', 'photo.jpg', 'image/jpeg', 1000, repeat('0', 64), 'bulk/photo', now() where $1::int > 0`,
  `insert into profiles (id, owner_id, kind, name, data, photo_id, status, photo_status, ever_approved, created_at, updated_at)
   select n, n, 'athlete', 'Person ' || n, '{}', '00000000-0000-4000-8000-000000000001', 'approved', 'approved', true, now(), now()
   from generate_series(1, $1::int) n`,
  `insert into documents (id, profile_id, type, file_id, expires_at, status, decided_at, created_at, updated_at)
   select n, n, 'medical', '00000000-0000-4000-8000-000000000001', ${documentsExpireAt === null ? 'null' : `'${documentsExpireAt}'`}, 'approved', now(), now(), now() from generate_series(1, $1::int) n`,
  `insert into applications (id, owner_id, profile_id, service_id, kind, year, data, status, amount_minor, breakdown, paid, paid_at,
     payment_transaction_id, submitted_at, approved_at, due_at, created_at, updated_at)
   select n, n, n, 1, 'national_certificate', ${year}, '{"insurance_territory":"KZ"}', 'approved', 865000, '[]', true, now(), n, now(), now(), ${yearEnd}, now(), now()
   from generate_series(1, $1::int) n`,
  'insert into application_documents (application_id, document_id) select n, n from generate_series(1, $1::int) n',
  `insert into certificates (application_id, number, series, year, sequence, token, valid_from, valid_until, snapshot, issued_at)
   select n, 'KZ-N-' || ${year} || '-' || lpad(n::text, 7, '0'), 'N', ${year}, n,
     translate(substr(encode(sha256(('token ' || n)::bytea), 'base64'), 1, 43), '+/', '-_'),
     (now() at time zone interval '5 hours')::date, (${year} || '-12-31')::date, '{}', now() from generate_series(1, $1::int) n`,
  // Rows that the API creates later get ids after these.
  ...['users', 'profiles', 'documents', 'applications'].map(
    (table) => `select setval(pg_get_serial_sequence('${table}', 'id'), greatest($1::int, (select max(id) from ${table})))`,
  ),
];

/** Records of one person's way to a certificate. */
export interface Lifecycle {
  applicationId: number;
  invoiceId: number;
}

/** Runs one lifecycle: apply, submit, invoice, checkout, the bank's callback, verify, pay, approved. */
export async function applyAndPay(stack: Stack, person: InsertedPerson | undefined): Promise<Lifecycle> {
  if (!person) throw new RangeError('prepare more people');
  const send = (status: number, path: string, body?: unknown) => post(`${localUrl(stack)}${apiPrefix}${path}`, status, person.key, body);
  const documents = { profile_id: person.profileId, service_id: 1, document_ids: person.documentIds, data: {} };
  const { id } = await send(201, '/applications', documents);
  await send(200, `/applications/${id}/submit`);
  const invoice = await send(201, '/invoices', { amount: '20000.00' });
  await send(200, `/invoices/${invoice.id}/checkout`);
  await post(`${stack.bankUrl}/control/${invoice.number}`, 200, null, { outcome: 'paid' });
  await send(200, `/invoices/${invoice.id}/verify`);
  const paid = await send(200, `/applications/${id}/pay`);
  if (paid.status !== 'approved') throw new Error(`application ${id} is ${paid.status}`);
  return { applicationId: id, invoiceId: invoice.id };
}

const agent = new Agent({ keepAlive: true });

/** Fields of the responses that the load reads. */
interface Posted {
  id: number;
  number: string;
  status: string;
}

/**
 * Posts JSON over persistent connections, with little work of its own: the load shares the processor with the measured programs.
 *
 * @returns `data` of the response
 * @throws {Error} with the response when its status differs
 */
export function post(url: string, status: number, key: string | null = null, body?: unknown): Promise<Posted> {
  const headers = {
    'idempotency-key': randomUUID(),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode === status) resolve((JSON.parse(text) as { data: Posted }).data);
        else reject(new Error(`expected ${status}, got ${response.statusCode}: ${text}`));
      });
    });
    sent.on('error', reject);
    sent.end(body === undefined ? undefined : JSON.stringify(body));
  });
}

/** Waits for the certificates that follow approvals in the background. */
export function untilCertificates(database: DatabaseClient): Promise<unknown> {
  return waitFor(
    async () => (await database.query('select 1 from certificates where pdf_storage_key is null limit 1')).rows.length,
    (missing) => missing === 0,
    'the certificates',
  );
}
