import { parse, parseAllDocuments } from 'yaml';
import { readFileSync } from 'node:fs';
import { loadConfig } from '../../src/registry/config.ts';
import { needsOf, type Need, type ProcessPart, type TaskQueue, taskQueues } from '../../src/registry/process-needs.ts';
import type { Compose } from '../support/compose-stack.ts';

/** The files of secrets that stand for a need. */
const secretsOf: Record<Need, string[]> = {
  temporal: [],
  site: [],
  probes: [],
  sessions: ['session_secret'],
  encryption: ['encryption_key'],
  bank: ['bank_secret'],
  files: ['s3_access_key_id', 's3_secret_access_key'],
  mail: ['smtp_url'],
  bot: [],
};

const commandQueues: TaskQueue[] = ['registry', 'documents', 'competitions'];
const otherQueues = taskQueues.filter((queue) => !commandQueues.includes(queue));

/** Each part of an installation with the secrets that it gets beside what it uses; the one table for all ways to install. */
const parts: Record<string, { part: ProcessPart; queues?: TaskQueue[]; own: string[]; compose: string[] }> = {
  api: { part: 'api', own: [], compose: ['api-1', 'api-2'] },
  'worker-commands': { part: 'worker', queues: commandQueues, own: [], compose: ['worker-commands'] },
  'worker-tasks': { part: 'worker', queues: otherQueues, own: [], compose: ['worker-tasks'] },
  administrator: { part: 'administrator', own: ['admin_password'], compose: ['administrator'] },
};
/** Programs that read no configuration of the service, and servers of others. */
const others: Record<string, string[]> = {
  migrate: ['database_url', 'migration_database_url', 's3_access_key_id', 's3_secret_access_key'],
  bank: ['bank_secret', 'tls_certificate'],
  proxy: ['tls_certificate', 'tls_key'],
  postgres: ['owner_password', 'postgres_password', 'service_password', 'temporal_password'],
  'temporal-schema': ['temporal_password'],
  temporal: ['temporal_password'],
  storage: ['storage_root_password'],
  bucket: ['s3_access_key_id', 's3_secret_access_key', 'storage_root_password'],
};

function secretsFor(name: string): string[] {
  const known = parts[name];
  if (!known) return others[name] ?? [];
  const used = [...needsOf(known.part, known.queues)].flatMap((need) => secretsOf[need]);
  return ['database_url', ...used, ...known.own].toSorted();
}

const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;

describe('docker-compose.yml', () => {
  const partOf = (service: string) => Object.keys(parts).find((name) => parts[name]?.compose.includes(service)) ?? service;

  test.each(Object.keys(compose.services))('%s gets the secrets that it uses, and no other', (service) => {
    const given = compose.services[service]?.secrets ?? [];
    const names = given.map((one) => (typeof one === 'string' ? one : one.source)).toSorted();
    // Its mail server has no login.
    expect(names).toEqual(secretsFor(partOf(service)).filter((name) => name !== 'smtp_url'));
  });
});

interface Workload {
  kind: string;
  metadata: { name: string };
  spec: {
    template: { spec: { volumes: { name: string; secret?: { secretName: string; items?: { key: string; path: string }[] } }[] } };
  };
}

const workloads = ['registry', 'migrate']
  .flatMap((file) => parseAllDocuments(readFileSync(`ops/kubernetes/${file}.yaml`, 'utf8')).map((document) => document.toJS() as Workload))
  .filter(({ kind }) => ['Deployment', 'Job', 'CronJob', 'StatefulSet', 'DaemonSet'].includes(kind));

describe('ops/kubernetes', () => {
  test.each(workloads.map((workload) => [workload.metadata.name, workload] as const))(
    '%s mounts the secrets that it uses, and no other',
    (name, { spec }) => {
      const mounted = spec.template.spec.volumes.flatMap(({ secret }) => secret ?? []);
      expect(mounted).toHaveLength(1);
      const [secret] = mounted;
      // The secret of the migration has nothing else.
      expect(secret?.secretName).toBe(name === 'migrate' ? 'registry-migration' : 'registry');
      const keys = name === 'migrate' ? secretsFor(name) : (secret?.items ?? []).map(({ key }) => key).toSorted();
      expect(keys).toEqual(secretsFor(name));
    },
  );
});

describe('ops/systemd', () => {
  test.each([
    ['registry-api@.service', 'api'],
    ['registry-worker-commands@.service', 'worker-commands'],
    ['registry-worker-tasks@.service', 'worker-tasks'],
  ])('%s loads the credentials that it uses, and no other', (file, name) => {
    const text = readFileSync(`ops/systemd/${file}`, 'utf8');
    const loaded = [...text.matchAll(/^LoadCredential=(\w+):/gm)].map(([, credential = '']) => credential);
    expect(loaded.toSorted()).toEqual(secretsFor(name));
    const queues = /\bWORKER_QUEUES=(\S+)/.exec(text)?.[1]?.split(',');
    expect(queues?.toSorted()).toEqual(parts[name]?.queues?.toSorted());
  });
});

/** A random value for each variable that production may require. */
const values: Record<string, string> = {
  DATABASE_URL: 'postgres://registry_app:password@db.example.kz/registry',
  TEMPORAL_ADDRESS: 'temporal.example.kz:7233',
  BASE_URL: 'https://registry.example.kz',
  METRICS_PORT: '9464',
  SESSION_SECRET: crypto.randomUUID(),
  ENCRYPTION_KEY: crypto.randomUUID(),
  BANK_URL: 'https://bank.example.kz',
  BANK_TERMINAL: 'T1',
  BANK_SECRET: crypto.randomUUID(),
  STORAGE: 's3',
  S3_BUCKET: 'registry',
  S3_ACCESS_KEY_ID: 'key',
  S3_SECRET_ACCESS_KEY: crypto.randomUUID(),
  SMTP_URL: 'smtps://user:password@mail.example.kz',
  MAIL_FROM: 'Registry <registry@example.kz>',
};
const shared = new Set([
  'NODE_ENV',
  'DATABASE_URL',
  'TEMPORAL_ADDRESS',
  'BASE_URL',
  'METRICS_PORT',
  'STORAGE',
  'S3_BUCKET',
  'BANK_URL',
  'MAIL_FROM',
]);

/** Returns which secrets a part refuses to start without. */
function requiredBy(part: ProcessPart, queues: readonly TaskQueue[]): string[] {
  const full = { NODE_ENV: 'production', WORKER_QUEUES: queues.join(','), ...values };
  return Object.keys(values)
    .filter((name) => !shared.has(name))
    .filter((name) => {
      try {
        loadConfig({ ...full, [name]: undefined }, part);
        return false;
      } catch {
        return true;
      }
    });
}

test.each<[string, ProcessPart, TaskQueue[], string[]]>([
  [
    'an API',
    'api',
    [],
    ['SESSION_SECRET', 'ENCRYPTION_KEY', 'BANK_TERMINAL', 'BANK_SECRET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'SMTP_URL'],
  ],
  ['a worker of commands', 'worker', commandQueues, ['SESSION_SECRET']],
  ['a worker of certificates', 'worker', ['certificates'], ['ENCRYPTION_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY']],
  [
    'a worker of exports and of the sweeper',
    'worker',
    ['exports', 'maintenance'],
    ['ENCRYPTION_KEY', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'],
  ],
  ['a worker of the bank', 'worker', ['bank'], ['SESSION_SECRET', 'BANK_TERMINAL', 'BANK_SECRET']],
  ['a worker of webhooks', 'worker', ['webhooks'], ['ENCRYPTION_KEY', 'SMTP_URL']],
  ['the commands `keys` and `secrets`', 'keys', [], ['ENCRYPTION_KEY']],
  ['the command `admin`', 'administrator', [], []],
  ['the command `processes`', 'processes', [], []],
])('production requires of %s what it uses, and no other secret', (_name, part, queues, expected) => {
  expect(requiredBy(part, queues)).toEqual(expected);
});

test('every queue has its needs, and a worker of all queues needs what an API needs', () => {
  expect([...needsOf('worker')].toSorted()).toEqual([...needsOf('all')].toSorted());
});
