import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { isDomainError } from '../../errors.ts';
import { errorName } from '../logging/error-code.ts';
import type { DependencyStatus } from '../health/watch-dependencies.ts';
import { releaseVersion } from '../runtime/release.ts';

/** The metrics of this process. Labels are bounded (routes, kinds, states) and never hold ids or personal values. */
export const metricsRegistry = new Registry();
collectDefaultMetrics({ register: metricsRegistry });
const registers = [metricsRegistry];

/** Seconds, from 1 ms to the longest wait of a caller. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

new Gauge({
  name: 'registry_build_info',
  help: 'Always 1; the labels name the running release',
  labelNames: ['version', 'node'] as const,
  registers,
}).set({ version: releaseVersion, node: process.version }, 1);

/** How work ended. `refused`: an answer by a rule, not a fault. */
export type WorkOutcome = 'ok' | 'refused' | 'failed';

export const commandSeconds = new Histogram({
  name: 'registry_command_seconds',
  help: 'Time of a step of a process in a worker, by kind of process, step and outcome',
  labelNames: ['kind', 'command', 'outcome'] as const,
  buckets: durationBuckets,
  registers,
});

const callSeconds = new Histogram({
  name: 'registry_call_seconds',
  help: 'Time of a call to another server, by server and outcome',
  labelNames: ['target', 'outcome'] as const,
  buckets: durationBuckets,
  registers,
});

export const deliveries = new Counter({
  name: 'registry_deliveries_total',
  help: 'Attempts to send a notification, by channel and outcome: sent, refused, deferred, away, failed',
  labelNames: ['channel', 'outcome'] as const,
  registers,
});

/** Servers that the registry calls. */
export type CallTarget = 'bank' | 'storage' | 'smtp' | 'scanner' | 'temporal';

/** Errors of ports by which a server that works declines one call. */
const refusals: ReadonlySet<string> = new Set([
  'MailAddressError',
  'MailRefusedError',
  'StorageObjectMissingError',
  'StorageSizeError',
  'RangeError',
  'AbortError',
]);

function outcomeOf(error: unknown): WorkOutcome {
  const isRefusal = isDomainError(error) ? error.status < 500 : refusals.has(errorName(error) ?? '');
  return isRefusal ? 'refused' : 'failed';
}

/**
 * Returns a port whose methods are measured as calls to `target`; all else of it stays.
 * @param methods of the port that call the server
 */
export function measureCalls<Port extends object>(target: CallTarget, port: Port, methods: readonly (keyof Port)[]): Port {
  const measured = new Set<PropertyKey>(methods);
  return new Proxy(port, {
    get(object, name) {
      const value: unknown = Reflect.get(object, name, object);
      if (typeof value !== 'function') return value;
      if (!measured.has(name)) return value.bind(object) as unknown;
      return async (...args: unknown[]): Promise<unknown> => {
        const startedAt = performance.now();
        let outcome: WorkOutcome = 'ok';
        try {
          return await (Reflect.apply(value, object, args) as Promise<unknown>);
        } catch (error) {
          outcome = outcomeOf(error);
          throw error;
        } finally {
          callSeconds.observe({ target, outcome }, (performance.now() - startedAt) / 1000);
        }
      };
    },
  });
}

/** Counts of a pool of database connections. */
interface Pool {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

const pools = new Set<Pool>();

metricsRegistry.registerMetric(
  new Gauge({
    name: 'registry_db_pool_connections',
    help: 'Connections of the pool that are busy or idle, and work that waits for one',
    labelNames: ['state'] as const,
    registers: [],
    collect() {
      const sum = (count: (pool: Pool) => number) => [...pools].reduce((total, pool) => total + count(pool), 0);
      this.set(
        { state: 'busy' },
        sum(({ totalCount, idleCount }) => totalCount - idleCount),
      );
      this.set(
        { state: 'idle' },
        sum(({ idleCount }) => idleCount),
      );
      this.set(
        { state: 'waiting' },
        sum(({ waitingCount }) => waitingCount),
      );
    },
  }),
);

const poolWaitSeconds = new Histogram({
  name: 'registry_db_pool_wait_seconds',
  help: 'Wait for a connection of the pool',
  buckets: durationBuckets,
  registers,
});

/** Measures the pool of this process. */
export const poolMetrics = {
  opened: (pool: Pool): void => void pools.add(pool),
  closed: (pool: Pool): void => void pools.delete(pool),
  waited: (seconds: number): void => poolWaitSeconds.observe(seconds),
};

let readStatuses: (() => Readonly<Record<string, DependencyStatus>>) | null = null;

metricsRegistry.registerMetric(
  new Gauge({
    name: 'registry_dependency_up',
    help: 'Whether a dependency answered its last check; without those that the configuration does not use',
    labelNames: ['dependency'] as const,
    registers: [],
    collect() {
      this.reset();
      for (const [dependency, { state }] of Object.entries(readStatuses?.() ?? {}))
        if (state !== 'disabled') this.set({ dependency }, state === 'ok' ? 1 : 0);
    },
  }),
);

/** Publishes the last known statuses of the dependencies; null stops it. */
export function showDependencies(statuses: (() => Readonly<Record<string, DependencyStatus>>) | null): void {
  readStatuses = statuses;
}
