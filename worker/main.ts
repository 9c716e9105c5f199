import { DefaultLogger, Runtime, type TelemetryOptions } from '@temporalio/worker';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { prepareSigningKeys } from '../src/areas/credentials/index.ts';
import { environment, loadConfig, type Variables } from '../src/registry/config.ts';
import { closePlatform, createPlatform, databaseTimeouts } from '../src/registry/create-platform.ts';
import { serveOperations } from '../src/http/operations/operations-server.ts';
import { createSchemaCheck } from '../src/platform/database/check-schema.ts';
import { exitWithParent, reportReady } from '../src/platform/runtime/exit-with-parent.ts';
import { frequentChecks, watchDependencies } from '../src/platform/health/watch-dependencies.ts';
import { logFatal } from '../src/platform/logging/log.ts';
import { durationBuckets, metricsRegistry, showDependencies } from '../src/platform/metrics/registry.ts';
import { StateGaugeReader } from '../src/platform/metrics/state-gauges.ts';
import type { Platform } from '../src/platform/platform.ts';
import { needsOf } from '../src/registry/process-needs.ts';
import { requireSafeStart } from '../src/registry/require-safe-start.ts';
import { workflowCode } from './bundle.ts';
import { startWorkers, type WorkerGroup } from './create-worker.ts';
import { isRefusal, reportWork } from './measure-work.ts';
import { prepareTemporal } from './prepare-temporal.ts';

/** Pause between two attempts to reach what the worker needs. */
const retryMs = 1_000;

/** Runs a worker process: waits for database and Temporal, then serves the task queues of WORKER_QUEUES until it is stopped. */
async function main(): Promise<void> {
  const config = loadConfig(environment(), 'worker');
  const platform = await createPlatform(config, 'worker', needsOf('worker', config.WORKER_QUEUES));
  const sdkMetricsPort = config.METRICS_PORT === undefined ? null : await findFreePort();
  const runtime = installRuntime(platform, sdkMetricsPort);
  const worker = new WorkerProcess(config, platform, sdkMetricsPort);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void worker.shutdown());
  exitWithParent(() => worker.shutdown());
  await worker.run();
  // Its forwarding of log lines would keep the process alive; it ends by itself only after it had a worker.
  await runtime.shutdown();
}

class WorkerProcess {
  readonly #config: Variables;
  readonly #platform: Platform;
  readonly #sdkMetricsPort: number | null;
  #workers: WorkerGroup | null = null;
  #shutdown: Promise<void> | null = null;
  readonly #stopping = new AbortController();
  readonly #stopped = Promise.withResolvers<void>();

  constructor(config: Variables, platform: Platform, sdkMetricsPort: number | null) {
    this.#config = config;
    this.#platform = platform;
    this.#sdkMetricsPort = sdkMetricsPort;
  }

  async run(): Promise<void> {
    const { log, orm, processes } = this.#platform;
    const checkSchema = createSchemaCheck(orm, { acceptsNewer: this.#config.UNSAFE_SETTINGS.includes('newer_schema') });
    const dependencies = await watchDependencies(
      {
        database: { check: checkSchema, times: frequentChecks },
        temporal: { check: () => processes.check(), times: frequentChecks },
      },
      log,
    );
    showDependencies(dependencies.statuses);
    const gauges = this.#config.METRICS_PORT === undefined ? null : new StateGaugeReader(this.#platform, databaseTimeouts);
    const endReports = reportWork(log);
    const operations = await this.#serveOperations(() => {
      const { database, temporal } = dependencies.statuses();
      const missing = database.cause ?? temporal.cause ?? (this.#workers?.isPolling() === true ? null : 'The worker does not poll.');
      return { status: missing === null ? 'ok' : 'not_ready', reason: missing };
    });
    try {
      await this.#until(checkSchema);
      if (!this.#stopping.signal.aborted) {
        await requireSafeStart(this.#platform, 'worker');
        if (needsOf('worker', this.#config.WORKER_QUEUES).has('encryption')) await prepareSigningKeys(this.#platform);
      }
      await this.#until(async () => {
        await processes.check();
        await prepareTemporal(this.#config);
      });
      if (this.#stopping.signal.aborted) return;
      const isTraced = this.#config.OTEL_EXPORTER_OTLP_ENDPOINT !== undefined;
      const code = await workflowCode(this.#config.NODE_ENV === 'production', this.#config.DATA_DIR, isTraced);
      this.#workers = await startWorkers(this.#config, this.#platform, code);
      gauges?.start();
      log.info({ queues: this.#config.WORKER_QUEUES }, 'the worker serves');
      reportReady();
      if (this.#stopping.signal.aborted) await this.#workers.shutdown();
      await this.#workers.finished;
    } finally {
      endReports();
      await gauges?.close();
      await dependencies.stop();
      operations?.close();
      operations?.closeAllConnections();
      await closePlatform(this.#platform);
      this.#stopped.resolve();
    }
  }

  shutdown(): Promise<void> {
    this.#shutdown ??= (async () => {
      this.#platform.log.info('the worker drains');
      this.#stopping.abort();
      await this.#workers?.shutdown();
      await this.#stopped.promise;
    })();
    return this.#shutdown;
  }

  /** Repeats a step until it succeeds or the process stops. The log says what is missing (`watchDependencies`). */
  async #until(step: () => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        return await step();
      } catch (error) {
        this.#platform.log.debug({ err: error }, 'the worker waits');
        await setTimeout(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  async #serveOperations(readiness: Parameters<typeof serveOperations>[1]['readiness']): Promise<Server | null> {
    const { METRICS_PORT: port, METRICS_HOST: host, HOST } = this.#config;
    if (port === undefined) return null;
    return serveOperations(
      { port, host: host ?? HOST },
      { metrics: () => this.#readMetrics(), metricsType: metricsRegistry.contentType, readiness },
    );
  }

  /** One page with the SDK's metrics and our own. */
  async #readMetrics(): Promise<string> {
    const ofSdk = fetch(`http://127.0.0.1:${this.#sdkMetricsPort}/metrics`).then((response) => response.text());
    return [await metricsRegistry.metrics(), await ofSdk].join('\n');
  }
}

/** @param metricsPort of the SDK's own exporter, on loopback; null for none */
function installRuntime({ log }: Platform, metricsPort: number | null): Runtime {
  return Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Expected for a queue without workflows (`workflowQueues`).
      if (message.startsWith('No workflows registered')) return;
      if (isRefusal(meta?.['error'])) log.debug({ meta: plain(meta) }, 'a command was refused');
      else log[level === 'ERROR' ? 'error' : 'warn']({ meta: plain(meta) }, message);
    }),
    // The process handles its own shutdown.
    shutdownSignals: [],
    telemetryOptions: {
      // The native part's lines go to the logger above, so that every line is JSON.
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort === null ? {} : { metrics: sdkMetrics(metricsPort) }),
    },
  });
}

/** Histograms of the SDK by the conventions of Prometheus: seconds, from 1 ms. */
function sdkMetrics(port: number): NonNullable<TelemetryOptions['metrics']> {
  return {
    attachServiceName: false,
    prometheus: {
      bindAddress: `127.0.0.1:${port}`,
      countersTotalSuffix: true,
      unitSuffix: true,
      useSecondsForDurations: true,
      histogramBucketOverrides: Object.fromEntries(sdkHistograms.map((name) => [name, durationBuckets])),
    },
  };
}

/** Histograms of durations that the SDK's native part writes. */
const sdkHistograms = [
  'request_latency',
  'long_request_latency',
  'workflow_endtoend_latency',
  'workflow_task_schedule_to_start_latency',
  'workflow_task_execution_latency',
  'workflow_task_replay_latency',
  'activity_schedule_to_start_latency',
  'activity_execution_latency',
  'activity_succeed_endtoend_latency',
  'local_activity_execution_latency',
  'local_activity_succeed_endtoend_latency',
];

/** The SDK's exporter takes an address, not a socket, so a free port is found first. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port on 127.0.0.1');
  return address.port;
}

/** Returns Temporal's own log fields, without objects that may contain personal data. */
function plain(meta: Record<string, unknown> | undefined): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(meta ?? {})
      .filter(([name, value]) => name === 'error' || ['string', 'number', 'boolean'].includes(typeof value))
      .map(([name, value]) => [name, value instanceof Error ? value.message : value]),
  );
}

try {
  await main();
} catch (error) {
  logFatal('worker', error);
  process.exit(1);
}
