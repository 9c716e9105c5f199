import { Client as TemporalClient, Connection } from '@temporalio/client';
import { Client } from 'pg';
import { parse } from 'yaml';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { releaseVersion } from '../../src/platform/runtime/release.ts';
import { freePorts } from '../../src/tools/embedded/ports.ts';
import { makeSurroundings, type TestSurroundings } from '../support/test-platform.ts';
import { waitFor } from '../support/wait-for.ts';

/** The rules and the dashboard of `ops/` against an API and a worker that run: what they name exists, and alerts fire on what they mean. */

interface Rule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const rules = (parse(readFileSync('ops/prometheus/alerts.yml', 'utf8')) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
const dashboard = JSON.parse(readFileSync('ops/grafana/dashboard.json', 'utf8')) as { panels: { targets?: { expr: string }[] }[] };
const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

/** Names of metrics, without the suffixes of a histogram's series. */
function namesIn(expressions: readonly string[]): string[] {
  const names = expressions.flatMap((expr) => expr.match(/\b(?:registry|temporal|process)_[a-z_]+/g) ?? []);
  return [...new Set(names.map((name) => name.replace(/_(bucket|count|sum)$/, '')))].toSorted();
}

interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

function samplesOf(page: string): Sample[] {
  return page.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return [];
    const pairs = labels === '' ? [] : labels.split('",').map((pair) => pair.replace(/"$/, '').split('="'));
    return [{ name, labels: Object.fromEntries(pairs) as Sample['labels'], value: Number(value) }];
  });
}

/** The values for which a rule of the form `aggregate by (…) (metric{label="…"}) > bound` fires. */
function firing(expr: string, samples: readonly Sample[]): Sample[] {
  const [, name, matcher = '', operator, bound] =
    /^(?:max|min|sum)(?: by \([\w, ]+\))? ?\((\w+)(?:\{(.*)\})?\) (>|==) ([\d.]+)$/.exec(expr) ?? [];
  if (name === undefined) throw new Error(`not of the simple form: ${expr}`);
  const [, label = '', negation, pattern = ''] = /^(\w+)(=|!)~"(.*)"$/.exec(matcher) ?? [];
  return samples.filter(
    (sample) =>
      sample.name === name &&
      (matcher === '' || new RegExp(`^(?:${pattern})$`).test(sample.labels[label] ?? '') === (negation !== '!')) &&
      (operator === '>' ? sample.value > Number(bound) : sample.value === Number(bound)),
  );
}

let surroundings: TestSurroundings;
let env: Record<string, string>;
let ports: { api: number; worker: number };
const started: { stop(): Promise<string> }[] = [];

function start(script: string, metricsPort: number): { stop(): Promise<string> } {
  const child = spawn(process.execPath, [script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, METRICS_PORT: String(metricsPort) },
  });
  const ended = once(child, 'exit');
  const output = Promise.all([text(child.stdout), text(child.stderr)]);
  const running = {
    async stop() {
      child.kill('SIGTERM');
      await ended;
      return (await output).join('');
    },
  };
  started.push(running);
  return running;
}

const pageOf = (port: number) =>
  fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => '',
  );

const shows = (port: number, line: RegExp) =>
  waitFor(
    async () => line.test(await pageOf(port)),
    (isShown) => isShown,
    String(line),
    200_000,
  );

beforeAll(async () => {
  surroundings = await makeSurroundings();
  const { config } = surroundings;
  const [api = 0, worker = 0] = await freePorts(2);
  ports = { api, worker };
  env = {
    NODE_ENV: 'test',
    LOG_LEVEL: 'info',
    PORT: String(config.PORT),
    DATA_DIR: config.DATA_DIR,
    DATABASE_URL: config.DATABASE_URL ?? '',
    TEMPORAL_ADDRESS: config.TEMPORAL_ADDRESS ?? '',
    TEMPORAL_NAMESPACE: config.TEMPORAL_NAMESPACE,
    SESSION_SECRET: config.SESSION_SECRET ?? '',
    SANDBOX: 'true',
    // Nothing listens there.
    SMTP_URL: 'smtp://127.0.0.1:1',
  };
});
afterAll(async () => {
  await Promise.all(started.map((running) => running.stop()));
  await surroundings.close();
});

/** Work that waits for too long, of each kind that an alert names. */
const troubles = [
  `insert into users (email, password_hash, name, role, status, created_at, updated_at)
     values ('waiting@example.kz', 'x', 'Waiting', 'user', 'active', now(), now())`,
  `insert into process_troubles (process, step, kind, record_id, since, at, tries, code, is_stuck)
     values ('application/1', 'makeCertificate', 'application', 1, now(), now(), 1, 'cannot_be_made', true)`,
  // Four attempts of a relay.
  `insert into outbox (process, request_id, attempts, available_at, due_at)
     values ('document/1', 'metrics', 4, now() + interval '250 seconds', now() - interval '155 seconds')`,
  `with notified as (insert into notifications (user_id, type, subject_kind, subject_id, created_at)
       select id, 'document.approved', 'document', '1', now() - interval '2 hours' from users returning id, user_id, created_at)
     insert into notification_deliveries (notification_id, user_id, channel, created_at, request_id, next_try_at)
       select id, user_id, 'bot', created_at, 'metrics', now() + interval '1 hour' from notified`,
  `insert into incidents (kind, subject_kind, subject_id, details, at) values ('late_payment', 'invoice', '1', '{}', now() - interval '4 days')`,
  `insert into invoices (owner_id, number, amount_minor, status, idempotency_key, expires_at, next_ask_at, created_at, updated_at)
     select id, '2000000001', 10000, 'pending', 'metrics', now() + interval '1 day', now() + interval '1 hour', now(), now() from users`,
];

/** Terminates the process of the invoice: administrators must see it as failed. */
async function failProcess(): Promise<void> {
  const connection = await Connection.connect({ address: env['TEMPORAL_ADDRESS'] ?? '' });
  const client = new TemporalClient({ connection, namespace: env['TEMPORAL_NAMESPACE'] ?? '' });
  const run = await client.workflow.start('invoiceReconciliation', {
    workflowId: 'invoice/1',
    taskQueue: 'without-worker',
    args: [{ id: 1 }],
  });
  await run.terminate('for the test');
  await connection.close();
}

test('every alert has a heading of the runbook', () => {
  const headings = readFileSync('docs/operations.md', 'utf8').match(/^#+ .+$/gm) ?? [];
  const anchors = new Set(
    headings.map((heading) =>
      heading
        .replace(/^#+ /, '')
        .toLowerCase()
        .replaceAll(' ', '-')
        .replaceAll(/[^\w-]/g, ''),
    ),
  );
  expect(rules.filter(({ annotations: { runbook } }) => !anchors.has(runbook.replace('docs/operations.md#', '')))).toEqual([]);
  expect(rules.map(({ alert }) => alert)).toHaveLength(new Set(rules.map(({ alert }) => alert)).size);
  expect(
    rules.filter(({ annotations, labels }) => annotations.summary === '' || !['page', 'ticket', 'info'].includes(labels.severity)),
  ).toEqual([]);
});

test('rules and dashboard name metrics that API and worker show, and alerts fire on what they mean', async () => {
  const owner = new Client({ connectionString: surroundings.database.ownerUrl });
  await owner.connect();
  for (const statement of troubles) await owner.query(statement);
  await owner.end();
  await failProcess();

  const api = start('src/api.ts', ports.api);
  await shows(ports.api, /^registry_dependency_up/m);
  const withoutWorker = samplesOf(await pageOf(ports.api));
  const ruleOf = (alert: string) => rules.find((rule) => rule.alert === alert)?.expr ?? '';
  expect(firing(ruleOf('RegistryQueueWithoutWorker'), withoutWorker).map(({ labels }) => labels['dependency'])).toContain('workers/bank');
  expect(firing(ruleOf('RegistryDependencyAway'), withoutWorker).map(({ labels }) => labels['dependency'])).toEqual(['mail']);

  const worker = start('worker/main.ts', ports.worker);
  await fetch(`${surroundings.config.BASE_URL}/api/v1/catalog`);
  // The first reading, before a sweep repairs what it can.
  await shows(ports.worker, /^registry_incidents_open 1$/m);
  const state = samplesOf(await pageOf(ports.worker));
  for (const alert of [
    'RegistryWakeUpsLate',
    'RegistryDeliveriesLate',
    'RegistryReviewsLate',
    'RegistryIncidentOpen',
    'RegistryProcessesNeedSupport',
  ])
    expect([alert, firing(ruleOf(alert), state)]).toEqual([alert, expect.arrayContaining([expect.anything()])]);
  expect(firing(ruleOf('RegistryProcessesNeedSupport'), state).map(({ labels }) => labels)).toEqual(
    expect.arrayContaining([
      { kind: 'application', state: 'stuck' },
      { kind: 'invoice', state: 'failed' },
    ]),
  );
  expect(state.find(({ name }) => name === 'registry_invoices_open')?.value).toBe(1);

  // The schedule sweeps within a minute.
  await shows(ports.worker, /^registry_sweep_last_success_timestamp_seconds \d/m);
  const pages = `${await pageOf(ports.api)}\n${await pageOf(ports.worker)}`;
  const samples = samplesOf(pages);

  const known = new Set([...pages.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
  expect(namesIn([...rules.map(({ expr }) => expr), ...shown]).filter((name) => !known.has(name))).toEqual([]);
  // Units and suffixes by the conventions of Prometheus.
  expect([...pages.matchAll(/^# TYPE (\w+) counter$/gm)].map(([, name]) => name).filter((name) => !name?.endsWith('_total'))).toEqual([]);
  expect(pages).toMatch(/^temporal_request_latency_seconds_bucket\{.*le="0.001"\}/m);
  expect(samples.find(({ name }) => name === 'registry_build_info')?.labels['version']).toBe(releaseVersion);
  expect(samples.some(({ name, labels }) => name === 'registry_command_seconds_count' && labels['command'] === 'sweepOn')).toBe(true);
  expect(pages).not.toMatch(/waiting@example|(?<![.\d])2000000001(?!\d)/);

  const lines = [await api.stop(), await worker.stop()].join('').trimEnd().split('\n');
  const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(logged.filter(({ version }) => version !== releaseVersion)).toEqual([]);
  expect(logged.find(({ route }) => route === '/catalog')).toMatchObject({ msg: 'request', network: '127.0.0.0/24' });
  expect(logged.filter(({ route }) => typeof route === 'string' && route.startsWith('/health'))).toEqual([]);
});
