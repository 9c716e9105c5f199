import { MockActivityEnvironment } from '@temporalio/testing';
import { Client, escapeLiteral } from 'pg';
import pino from 'pino';
import { Registry } from 'prom-client';
import { createSweeper, type SweepPage } from '../../activities/maintenance.ts';
import { keepChangePartitions } from '../../src/areas/changes/index.ts';
import { startDeliveries } from '../../src/areas/notifications/index.ts';
import { databaseTimeouts } from '../../src/registry/create-platform.ts';
import { systemClock } from '../../src/platform/time/clock.ts';
import { query } from '../../src/platform/commands/command.ts';
import { StateGaugeReader } from '../../src/platform/metrics/state-gauges.ts';
import type { Platform } from '../../src/platform/platform.ts';
import { DeliveringOutbox, relayOnlyOutbox } from '../../src/platform/workflows/outbox.ts';
import type { Processes } from '../../src/platform/workflows/processes.ts';
import { countStatements, type SentStatement } from '../support/count-statements.ts';
import { startTestPlatform } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

/**
 * No scheduled work reads all live rows. With nothing due among many live rows, each statement reads a few pages (8 KB blocks). The server
 * counts them, so the figures are the same on every machine.
 */

/** Blocks that a statement may read with nothing to do. Each level of an index costs a block. */
const idleBlocks = 10;
/** Blocks that a slice of this number of live records may read: only the index entries of these records. */
const slice = { size: 200, blocks: 10 };
/** Blocks that a deletion may read for each deleted row: its index entry, its key and the row. */
const blocksOfDeletion = 4;
const living = 20_000;
/** Half of the records are over, with consecutive ids, which a slice that begins there must skip. */
const over = { from: 5000, to: 15_000 };

let platform: Platform;
let owner: Client;
let close: () => Promise<void>;

beforeAll(async () => {
  const started = await startTestPlatform();
  close = started.close;
  // No process is missing.
  const processes: Processes = Object.assign(Object.create(started.platform.processes), { adopt: async () => false });
  platform = { ...started.platform, processes, outbox: relayOnlyOutbox, clock: systemClock };
  owner = new Client({ connectionString: started.surroundings.database.ownerUrl });
  await owner.connect();
  for (const statement of crowd) await owner.query(statement);
  // Once a day.
  await query(platform, (db) => keepChangePartitions({ db }));
  await owner.query('vacuum analyze');
});
afterAll(async () => {
  await owner.end();
  await close();
});

const series = `generate_series(1, ${living}) n`;

const isOver = `id between ${over.from} and ${over.to}`;

/** Live records of every kind that are not due, and all other rows that a sweep checks, none of them due. */
const crowd = [
  `insert into users (email, password_hash, name, role, status, created_at, updated_at)
     select 'crowd-' || n || '@example.kz', 'x', 'Person', 'user', 'active', now(), now() from ${series}`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, pages, storage_key, created_at, deleted_at, purged_at)
     select gen_random_uuid(), u.id, 'medical', 'scan.pdf', 'application/pdf', 1, repeat('a', 64), 1, 'crowd/' || u.id, now(),
       case when u.id % 2 = 0 then now() end, case when u.id % 2 = 0 then now() end from users u`,
  `insert into profiles (owner_id, kind, name, data, status, photo_status, submitted_at, created_at, updated_at)
     select u.id, 'athlete', 'Person', '{}', 'pending', 'pending', now(), now(), now() from users u`,
  `insert into documents (profile_id, type, file_id, expires_at, status, decided_at, remind_at, created_at, updated_at)
     select p.id, 'medical', f.id, current_date + 30, case when p.id % 2 = 0 then 'pending' else 'approved' end, null,
       case when p.id % 2 = 1 then date_trunc('second', now()) + interval '20 days' end, now(), now()
     from profiles p join files f on f.owner_id = p.owner_id`,
  `insert into applications
     (owner_id, profile_id, service_id, kind, year, data, status, amount_minor, breakdown, due_at, submitted_at, created_at, updated_at)
     select p.owner_id, p.id, 1, 'national_certificate', extract(year from now()), '{"insurance_territory": "KZ"}', 'submitted', 100, '[]',
       date_trunc('second', now()) + interval '30 days', now(), now(), now() from profiles p`,
  `insert into invoices (owner_id, number, amount_minor, status, idempotency_key, expires_at, next_ask_at, created_at, updated_at)
     select u.id, (2000000000 + u.id)::text, 10000, 'pending', 'crowd', now() + interval '1 day', now() + interval '1 hour', now(), now()
     from users u`,
  `insert into events
     (owner_id, profile_id, service_id, discipline_id, title, location, starts_at, ends_at, status, due_at, created_at, updated_at)
     select p.owner_id, p.id, 30, 1, 'Event', 'Place', date_trunc('second', now()) + interval '100 days',
       date_trunc('second', now()) + interval '101 days', 'draft', date_trunc('second', now()) + interval '48 days', now(), now()
     from profiles p`,
  `insert into event_stages (event_id, stage, status)
     select e.id, stage, case when stage = 'agreement' then 'open' else 'locked' end
     from events e, unnest(array['agreement', 'details', 'regulations', 'results']) as stage`,
  `insert into registrations (event_id, owner_id, profile_id, class, vehicle, status, due_at, created_at, updated_at)
     select e.id, e.owner_id, e.profile_id, 'A', '{}', 'draft', e.starts_at, now(), now() from events e`,
  `insert into federation_signings (signer_name, signer_position, signature_file_id, stamp_file_id, layout, actor_id, created_at)
     select 'Signer', 'Head', f.id, f.id, '{}', f.owner_id, now() from files f limit 1`,
  `insert into contracts
     (event_id, owner_id, number, year, sequence, version, status, template_id, template_version, signing_id, snapshot, token, signed_at,
       due_at, created_at, updated_at)
     select e.id, e.owner_id, 'A-' || e.id, 2026, e.id, 1, 'generated', t.id, 1, s.id,
       json_build_object('eventEndsAt', e.ends_at), rpad(e.id::text, 43, 'x'), now(), e.starts_at, now(), now()
     from events e, contract_templates t, federation_signings s where t.is_default`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
     select gen_random_uuid(), u.id, 'national_print', 'list.zip', 'application/zip', 1, repeat('a', 64), 'crowd/made/' || u.id, now()
     from users u`,
  `insert into national_exports
     (administrator_id, list, status, count, file_id, request_id, requested_at, finished_at, due_at)
     select f.owner_id, 'print', 'ready', 1, f.id, 'crowd', now(), date_trunc('second', now()),
       date_trunc('second', now()) + interval '30 days'
     from files f where f.purpose = 'national_print'`,
  `insert into files (id, owner_id, purpose, name, mime, size, sha256, storage_key, created_at)
     select gen_random_uuid(), u.id, 'account_export', 'account.zip', 'application/zip', 1, repeat('a', 64), 'crowd/own/' || u.id, now()
     from users u`,
  `insert into account_exports (user_id, status, file_id, request_id, requested_at, finished_at, due_at)
     select f.owner_id, 'ready', f.id, 'crowd', now(), date_trunc('second', now()), date_trunc('second', now()) + interval '7 days'
     from files f where f.purpose = 'account_export'`,
  `insert into account_erasures (id, status, request_id, requested_at, ends_at, due_at)
     select id, 'waiting', 'crowd', now(), date_trunc('second', now()) + interval '7 days', date_trunc('second', now()) + interval '7 days'
     from users`,
  `insert into imports (kind, mode, status, event_id, owner_id, actor_id, request_id, row_count, done_count, ignored_columns, created_at, finished_at, due_at)
     select 'registrations', 'draft', 'done', (select min(id) from events), id, id, 'crowd', 200, 200, '[]', now(), date_trunc('second', now()),
       date_trunc('second', now()) + interval '7 days'
     from users`,
  'insert into status_lists (id, opened_at) values (1, now())',
  `with made as (
       insert into webhooks (user_id, url, types, sees_all, secret, place, change_id, position_at, next_try_at, due_at, created_at, updated_at)
       select id, 'https://example.com/', '{*}', false, 'x', change_end(), 0, now(), date_trunc('second', now()) + interval '1 hour',
         date_trunc('second', now()) + interval '1 hour', now(), now() from users returning id, user_id)
     insert into change_waiters (process, user_id) select 'webhook/' || id, user_id from made`,
  `with notified as (insert into notifications (user_id, type, subject_kind, subject_id, created_at)
       select id, 'document.approved', 'document', '1', now() from users returning id, user_id)
     insert into notification_deliveries (notification_id, user_id, channel, created_at, request_id, next_try_at)
       select id, user_id, 'mail', now(), 'crowd', now() + interval '1 hour' from notified`,
  `update webhooks set status = 'disabled', due_at = null where ${isOver}`,
  `update applications set status = 'closed', due_at = null where ${isOver}`,
  `update events set status = 'completed', due_at = null where ${isOver}`,
  `update registrations set due_at = null where ${isOver}`,
  `update contracts set status = 'confirmed', due_at = null where ${isOver}`,
  `update national_exports set due_at = null where ${isOver}`,
  `update account_exports set due_at = null where ${isOver}`,
  `update account_erasures set due_at = null where ${isOver}`,
  `update imports set due_at = null where ${isOver}`,
  // A reminder that a release without reminders has left.
  `update documents set status = 'cancelled', remind_at = date_trunc('second', now()) - interval '1 day' where ${isOver}`,
  `update profiles set status = 'approved', photo_status = 'approved' where ${isOver}`,
  `update invoices set status = 'expired', next_ask_at = null where ${isOver}`,
  // The state after the previous sweeps.
  'delete from tally_changes',
  `insert into outbox (process, request_id, attempts, available_at)
     select 'application/' || n, 'crowd', 0, now() + interval '1 hour' from ${series}`,
  `insert into sessions (id, token_hash, user_id, csrf_token, created_at, last_seen_at, expires_at)
     select gen_random_uuid(), md5(u.id::text) || md5(u.id::text), u.id, 'x', now(), now(), now() + interval '30 days' from users u`,
  `insert into captchas (id, session_id, purpose, answer_hash, created_at, expires_at)
     select gen_random_uuid(), s.id, 'register', 'x', now(), now() + interval '10 minutes' from sessions s`,
  `insert into password_resets (user_id, token_hash, created_at, expires_at)
     select u.id, md5(u.id::text) || md5(u.id::text), now(), now() + interval '30 minutes' from users u`,
  `insert into bot_links (user_id, state, token_hash, expires_at, chat_id, connected_at, update_id)
     select u.id, case when b then 'pending' else 'connected' end, case when b then md5(u.id::text) || md5(u.id::text) end,
       case when b then now() + interval '10 minutes' end, case when not b then u.id end, case when not b then now() end,
       case when not b then u.id end
     from (select id, id % 2 = 0 as b from users) u`,
  `insert into bot_updates (id, seen_at) select n, now() from ${series}`,
  `insert into attempt_counts (key, count, resets_at) select 'crowd:' || n, 1, now() + interval '10 minutes' from ${series}`,
  `insert into private_inputs (id, body, created_at) select gen_random_uuid(), '{}', now() from ${series}`,
  `insert into security_events (action, subject_kind, subject_id, request_id, at, count, data, fingerprint)
     select 'login.failed', 'route', 'logIn', 'crowd', now(), 1, '{}', md5(n::text) from ${series}`,
  `insert into receipts (workflow_id, command_id, at) select 'application/' || n, 'crowd', now() from ${series}`,
];

interface Plan {
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
}

/** How many blocks a statement reads, with a custom or a generic plan. Changes nothing. */
async function blocksOf({ text, values }: SentStatement): Promise<number> {
  const given = values.length === 0 ? '' : `(${values.map(literalOf).join(', ')})`;
  const touched: number[] = [];
  await owner.query(`prepare probe as ${text}`);
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    await owner.query('begin');
    await owner.query(`set local plan_cache_mode = ${mode}`);
    const { rows } = await owner.query(`explain (analyze, buffers, format json) execute probe${given}`);
    await owner.query('rollback');
    const plan: Plan = rows[0]['QUERY PLAN'][0].Plan;
    touched.push(plan['Shared Hit Blocks'] + plan['Shared Read Blocks']);
  }
  await owner.query('deallocate probe');
  return Math.max(...touched);
}

function literalOf(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return escapeLiteral(value.toISOString());
  if (typeof value === 'string') return escapeLiteral(value);
  if (Array.isArray(value)) return escapeLiteral(`{${value.join(',')}}`);
  throw new TypeError(`a value of this kind was not expected: ${JSON.stringify(value)}`);
}

/** A line for each statement over its budget. */
async function linesAbove(limit: number, statements: readonly SentStatement[]): Promise<string[]> {
  const lines: string[] = [];
  for (const statement of statements) {
    const blocks = await blocksOf(statement);
    if (blocks > limit) lines.push(`${blocks} blocks: ${statement.text.replaceAll(/\s+/g, ' ')}`);
  }
  return lines;
}

test('each statement of a sweep with nothing to do reads a few blocks', async () => {
  const { planSteps, runPage } = createSweeper(platform);
  const input = { requestId: 'budget', isPaced: true };
  const steps = planSteps(input);
  const environment = new MockActivityEnvironment();
  expect(steps.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['due_application', 'due_document', 'due_invoice', 'due_event', 'expired_data', 'deleted_files']),
  );
  for (const step of steps) {
    const { statements, result } = await countStatements(() => environment.run(() => runPage({ ...input, step, cursor: null })));
    expect([step.name, result]).toEqual([step.name, { driven: 0, next: null }]);
    expect(await linesAbove(idleBlocks, statements)).toEqual([]);
    // The next page continues after a record.
    if (step.task !== 'due') continue;
    const behind = await countStatements(() =>
      environment.run(() => runPage({ ...input, step, cursor: `${new Date(0).toISOString()} ${living / 2}` })),
    );
    expect(await linesAbove(idleBlocks, behind.statements)).toEqual([]);
  }
});

test('every kind of record with a process has a total of its live records', async () => {
  const { rows } = await owner.query<{ prosrc: string }>(`select prosrc from pg_proc where proname like 'tally!_%!_made' escape '!'`);
  const tallied = rows.flatMap(({ prosrc }) => [...prosrc.matchAll(/'living', '([^']+)'/g)].map(([, kind]) => kind));
  const records = platform.definitions.filter((definition) => definition.type === 'record');
  const counts = await Promise.all(
    records.map(async ({ kind, listLiving }) => ({ kind, n: (await query(platform, (db) => listLiving(db, 0, 1))).length })),
  );
  // A transfer ends immediately, so it keeps no process.
  expect(counts.filter(({ n }) => n === 0).map(({ kind }) => kind)).toEqual([fleeting]);
  expect(new Set(tallied)).toEqual(new Set(counts.flatMap(({ kind, n }) => (n === 0 ? [] : [kind]))));
});

test('a sweep finds the rows to delete by an index, the oldest first, page by page', async () => {
  const { planSteps, runPage } = createSweeper(platform);
  const input = { requestId: 'budget', isPaced: true };
  const step = planSteps(input).find(({ task }) => task === 'expired-data');
  if (!step) throw new Error('the sweep has no deletion');
  expect(step.pages).toBeGreaterThan(1);
  const environment = new MockActivityEnvironment();
  const page = (cursor: string | null) =>
    countStatements(() => environment.run(() => runPage({ ...input, step, cursor })) as Promise<SweepPage>);
  const { statements } = await page(null);
  const deletions = statements.filter(({ text }) => /^(delete|update)/.test(text));
  expect(deletions.length).toBeGreaterThanOrEqual(9);

  const old = 1500;
  const gone = `generate_series(1, ${old}) n`;
  const past = `now() - interval '40 days' - n * interval '1 second'`;
  for (const statement of [
    `insert into sessions (id, token_hash, csrf_token, created_at, last_seen_at, expires_at)
       select gen_random_uuid(), md5('old ' || n) || md5('old ' || n), 'x', ${past}, ${past}, ${past} from ${gone}`,
    `insert into captchas (id, session_id, purpose, answer_hash, created_at, expires_at, closed_at, closed_by)
       select gen_random_uuid(), s.id, 'register', 'x', ${past}, ${past}, now(), 'use'
       from (select id, row_number() over () as n from sessions where expires_at < now()) s`,
    `insert into password_resets (user_id, token_hash, created_at, expires_at, closed_at, closed_by)
       select (select min(id) from users), md5('old ' || n) || md5('old ' || n), ${past}, ${past}, now(), 'use' from ${gone}`,
    `insert into attempt_counts (key, count, resets_at) select 'old:' || n, 1, ${past} from ${gone}`,
    `insert into private_inputs (id, body, created_at) select gen_random_uuid(), '{}', ${past} from ${gone}`,
    `insert into bot_updates (id, seen_at) select -n, ${past} from ${gone}`,
    `insert into receipts (workflow_id, command_id, at) select 'application/' || n, 'old', ${past} from ${gone}`,
  ])
    await owner.query(statement);
  await owner.query('vacuum analyze');
  // A few blocks for each deleted row, none for the others.
  for (const deletion of deletions)
    expect([deletion.text, (await blocksOf(deletion)) <= 1000 * blocksOfDeletion]).toEqual([deletion.text, true]);

  const first = await page(null);
  // An expired session is also idle: the second condition finds the rest.
  expect(first.result).toEqual({ driven: 6 * 1000 + old, next: 'more' });
  const left = await owner.query(`select min(created_at) > now() - interval '40 days 1000 seconds' as is_newer from private_inputs`);
  expect(left.rows).toEqual([{ is_newer: true }]);
  const second = await page(first.result.next);
  // The other captchas were deleted with their sessions.
  expect(second.result).toEqual({ driven: 5 * 500, next: null });
});

test('ending all sessions of an account finds them and their captchas by an index', async () => {
  const { rows } = await owner.query(`select user_id from sessions where user_id is not null limit 1`);
  expect(await blocksOf({ text: 'delete from sessions where user_id = $1', values: [rows[0].user_id] })).toBeLessThanOrEqual(idleBlocks);
  const taking = `select id from sessions where impersonated_user_id is not null and (impersonated_user_id = $1 or user_id = $1)`;
  expect(await blocksOf({ text: taking, values: [rows[0].user_id] })).toBeLessThanOrEqual(idleBlocks);
  // The statement of the foreign key.
  const captcha = await owner.query(`select session_id from captchas limit 1`);
  expect(await blocksOf({ text: 'delete from captchas where session_id = $1', values: [captcha.rows[0].session_id] })).toBeLessThanOrEqual(
    idleBlocks,
  );
});

test('the outbox relay with nothing to send reads a few blocks', async () => {
  const noneAside = /^$/;
  const { statements } = await countStatements(async () => {
    const outbox = new DeliveringOutbox(platform.orm, async () => undefined, pino({ enabled: false }));
    outbox.startRelay();
    await outbox.close();
  }, noneAside);
  expect(statements).toHaveLength(1);
  expect(await linesAbove(idleBlocks, statements)).toEqual([]);
});

test('a look for waiting messages reads a handful of blocks when none is due', async () => {
  const { statements } = await countStatements(() => startDeliveries(platform).close());
  // One for mails, one for the bot.
  expect(statements).toHaveLength(2);
  expect(await linesAbove(idleBlocks, statements)).toEqual([]);
});

/** Blocks of a count up to 1,000 rows: their index entries, and the rows where the index does not have all. */
const countedBlocks = 400;

test('one process reads the gauges of the state, at a bounded cost; another takes over when it ends', async () => {
  const registries = [new Registry(), new Registry()];
  const [first, second] = registries.map((registry) => new StateGaugeReader(platform, databaseTimeouts, registry));
  const { statements } = await countStatements(async () => first?.read());
  await second?.read();
  const values = async (index: number): Promise<string[]> => (await registries[index]?.metrics())?.match(/^registry_.*/gm) ?? [];
  expect(await values(0)).toEqual(
    expect.arrayContaining([
      'registry_outbox_rows 1000',
      'registry_deliveries_waiting{channel="mail"} 1000',
      'registry_deliveries_waiting{channel="bot"} 0',
      'registry_invoices_open 1000',
      'registry_incidents_open 0',
      'registry_review_queue{kind="document"} 1000',
      'registry_processes{kind="application",state="overdue"} 0',
    ]),
  );
  expect(await values(1)).toEqual([]);
  expect(await linesAbove(countedBlocks, statements)).toEqual([]);
  const isOfLimit = ({ text }: SentStatement) => text.includes('limit 1001');
  expect(
    await linesAbove(
      idleBlocks,
      statements.filter((statement) => !isOfLimit(statement)),
    ),
  ).toEqual([]);
  await first?.close();
  // The server frees the lock a moment after the connection has ended.
  await waitFor(
    async () => {
      await second?.read();
      return values(1);
    },
    (lines) => lines.includes('registry_outbox_rows 1000'),
    'the other process to read the gauges',
  );
  await second?.close();
});

/** Over as soon as its command is answered: between two of them no record needs it. */
const fleeting = 'ownership-transfer';

test('a slice of the live records reads only this slice', async () => {
  for (const process of platform.definitions) {
    // A status list never ends, and there is one for 131,072 certificates.
    if (process.type !== 'record' || process.kind === fleeting || process.kind === 'status-list') continue;
    const { statements, result } = await countStatements(() => query(platform, (db) => process.listLiving(db, over.from, slice.size)));
    expect([process.kind, result.length, result[0]]).toEqual([process.kind, slice.size, over.to + 1]);
    expect(await linesAbove(slice.blocks, statements)).toEqual([]);
  }
});
