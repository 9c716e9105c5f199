import { parse, parseAllDocuments } from 'yaml';
import { readFileSync } from 'node:fs';
import { describeVariables, loadConfig, taskQueues } from '../../src/registry/config.ts';
import type { Compose } from '../support/compose-stack.ts';

interface Container {
  image: string;
  command: string[];
  envFrom?: { configMapRef: { name: string } }[];
  env?: { name: string; value: string }[];
  ports?: { name: string; containerPort: number }[];
  resources: { limits: { memory: string; cpu: string } };
  startupProbe?: { httpGet: { path: string; port: string } };
  livenessProbe?: { httpGet: { path: string; port: string } };
  readinessProbe?: { httpGet: { path: string; port: string } };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec: {
    replicas?: number;
    selector?: { matchLabels: Record<string, string> };
    template: {
      metadata: { labels: Record<string, string> };
      spec: {
        enableServiceLinks: boolean;
        terminationGracePeriodSeconds?: number;
        securityContext: { runAsNonRoot: boolean; runAsUser: number };
        containers: [Container];
      };
    };
  };
}

const manifests = ['registry', 'migrate'].flatMap((name) =>
  parseAllDocuments(readFileSync(`ops/kubernetes/${name}.yaml`, 'utf8')).map((document) => {
    expect(document.errors).toEqual([]);
    return document.toJS() as Manifest;
  }),
);
const compose = parse(readFileSync('docker-compose.yml', 'utf8'), { merge: true }) as Compose;
const ofKind = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);
const configMapOf = (name: string) => ofKind('ConfigMap').find(({ metadata }) => metadata.name === name)?.data ?? {};
const configMap = configMapOf('registry');
/** Pods with the service of the compose file that they are the same as. */
const twins: Record<string, string> = {
  api: 'api-1',
  'worker-commands': 'worker-commands',
  'worker-tasks': 'worker-tasks',
  migrate: 'migrate',
};
const pods = [...ofKind('Deployment'), ...ofKind('Job')].map((manifest) => [manifest.metadata.name, manifest] as const);

/** In bytes: `1g` of Docker, `1Gi` of Kubernetes. */
function bytesOf(size: string): number {
  const [, count = '', unit = ''] = /^(\d+)([mg])i?$/i.exec(size) ?? [];
  return Number(count) * (unit.toLowerCase() === 'g' ? 1024 : 1) * 1024 * 1024;
}

function variablesOf({ envFrom = [], env = [] }: Container): Record<string, string> {
  return {
    ...Object.assign({}, ...envFrom.map(({ configMapRef }) => configMapOf(configMapRef.name))),
    ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
  };
}

test('has the same parts as the compose file', () => {
  expect(pods.map(([name]) => name).toSorted()).toEqual(Object.keys(twins).toSorted());
});

describe.each(pods)('%s', (name, { kind, spec }) => {
  const { containers, ...pod } = spec.template.spec;
  const [container] = containers;
  const twin = compose.services[twins[name] ?? ''] ?? {};

  test('has image, command, variables and limits of the compose file', () => {
    expect(container).toMatchObject({ image: twin.image, command: twin.command });
    expect(bytesOf(container.resources.limits.memory)).toBe(bytesOf(twin.mem_limit ?? ''));
    expect(Number(container.resources.limits.cpu)).toBe(twin.cpus);
    // There, a mail server without a login and a simulator of the bank, whose addresses are not a bank's.
    const differing = new Set(['SMTP_URL', 'BANK_FORM_URL', 'BANK_CALLBACK_URL', 'UNSAFE_SETTINGS']);
    const namesOf = (variables: object) =>
      Object.keys(variables)
        .map((one) => one.replace(/_FILE$/, ''))
        .filter((one) => !differing.has(one));
    const variables = variablesOf(container);
    expect(namesOf(variables).toSorted()).toEqual(namesOf(twin.environment ?? {}).toSorted());
    for (const one of ['WORKER_QUEUES', 'NODE_OPTIONS']) expect(variables[one]).toBe(twin.environment?.[one]);
    const known = new Set([...describeVariables().map((variable) => variable.name as string), 'NODE_OPTIONS']);
    expect(Object.keys(variables).filter((one) => !known.has(one.replace(/_FILE$/, '')))).toEqual([]);
  });

  test('sets no variable for a service, such as TEMPORAL_PORT, and runs as the user of the image', () => {
    expect(pod).toMatchObject({ enableServiceLinks: false, securityContext: { runAsNonRoot: true, runAsUser: 65532 } });
  });

  if (kind === 'Job') return;

  test('is probed on the metrics port, twice there, with a disruption budget, and has time to stop', () => {
    expect(container.ports).toContainEqual({ name: 'metrics', containerPort: Number(configMap['METRICS_PORT']) });
    expect(container.readinessProbe?.httpGet).toEqual({ path: '/health/ready', port: 'metrics' });
    for (const probe of [container.startupProbe, container.livenessProbe])
      expect(probe?.httpGet).toEqual({ path: '/health/live', port: 'metrics' });
    expect(spec.replicas).toBe(2);
    expect(spec.selector?.matchLabels).toEqual(spec.template.metadata.labels);
    expect(ofKind('PodDisruptionBudget').map((budget) => budget.spec.selector?.matchLabels)).toContainEqual(spec.selector?.matchLabels);
    const serving = Number(variablesOf(container)['SHUTDOWN_DELAY_SECONDS'] ?? 0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(serving + 10);
  });
});

test.each(ofKind('Deployment').map((manifest) => [manifest.metadata.name, manifest] as const))(
  'production starts %s with its variables once the secrets are there, and no setting is unsafe',
  (name, { spec }) => {
    const secrets: Record<string, string> = {
      DATABASE_URL: 'postgres://registry_app:password@postgres.example.kz/registry',
      SMTP_URL: 'smtps://user:password@mail.example.kz',
    };
    const environment = Object.entries(variablesOf(spec.template.spec.containers[0])).map(([name, value]): [string, string] =>
      name.endsWith('_FILE') ? [name.slice(0, -5), secrets[name.slice(0, -5)] ?? crypto.randomUUID()] : [name, value],
    );
    expect(loadConfig(Object.fromEntries(environment), name === 'api' ? 'api' : 'worker').UNSAFE_SETTINGS).toEqual([]);
  },
);

test('together the workers serve every queue', () => {
  const served = ofKind('Deployment').flatMap(
    ({ spec }) => variablesOf(spec.template.spec.containers[0])['WORKER_QUEUES']?.split(',') ?? [],
  );
  expect(served.toSorted()).toEqual([...taskQueues].toSorted());
});
