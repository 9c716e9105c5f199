import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { loadConfig, type Variables } from '../src/config.ts';
import { closePlatform, createPlatform } from '../src/create-platform.ts';
import { serveOperations } from '../src/http/operations/operations-server.ts';
import { createSchemaCheck } from '../src/platform/database/check-schema.ts';
import { exitWithParent, reportReady } from '../src/platform/exit-with-parent.ts';
import { frequentChecks, watchDependencies } from '../src/platform/health/watch-dependencies.ts';
import { logFatal } from '../src/platform/log.ts';
import type { Platform } from '../src/platform/platform.ts';
import { requireSafeStart } from '../src/require-safe-start.ts';
import { workflowCode } from './bundle.ts';
import { startWorkers, type WorkerGroup } from './create-worker.ts';
import { prepareTemporal } from './prepare-temporal.ts';

/** Pause between two attempts to reach what the worker needs. */
const retryMs = 1_000;
const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

/** Runs a worker process: waits for database and Temporal, then serves the task queues of WORKER_QUEUES until it is stopped. */
async function main(): Promise<void> {
  const config = loadConfig();
  const platform = await createPlatform(config, 'worker');
  const sdkMetricsPort = config.METRICS_PORT === undefined ? null : await findFreePort();
  installRuntime(platform, sdkMetricsPort);
  const worker = new WorkerProcess(config, platform, sdkMetricsPort);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void worker.shutdown());
  exitWithParent(() => worker.shutdown());
  await worker.run();
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
    const operations = await this.#serveOperations(() => {
      const { database, temporal } = dependencies.statuses();
      const missing = database.cause ?? temporal.cause ?? (this.#workers?.isPolling() === true ? null : 'The worker does not poll.');
      return { status: missing === null ? 'ok' : 'not_ready', reason: missing };
    });
    try {
      await this.#until(checkSchema);
      if (!this.#stopping.signal.aborted) await requireSafeStart(this.#platform, 'worker');
      await this.#until(async () => {
        await processes.check();
        await prepareTemporal(this.#config);
      });
      if (this.#stopping.signal.aborted) return;
      const code = await workflowCode(this.#config.NODE_ENV === 'production', this.#config.DATA_DIR);
      this.#workers = await startWorkers(this.#config, this.#platform, code);
      log.info({ queues: this.#config.WORKER_QUEUES }, 'the worker serves');
      reportReady();
      if (this.#stopping.signal.aborted) await this.#workers.shutdown();
      await this.#workers.finished;
    } finally {
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
    return serveOperations({ port, host: host ?? HOST }, { metrics: () => this.#readSdkMetrics(), metricsType, readiness });
  }

  async #readSdkMetrics(): Promise<string> {
    const response = await fetch(`http://127.0.0.1:${this.#sdkMetricsPort}/metrics`);
    return response.text();
  }
}

/** @param metricsPort of the SDK's own exporter, on loopback; null for none */
function installRuntime({ log }: Platform, metricsPort: number | null): void {
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Expected for a queue without workflows (`workflowQueues`).
      if (message.startsWith('No workflows registered')) return;
      if (isRefusal(meta)) log.debug({ meta: plain(meta) }, 'a command was refused');
      else log[level === 'ERROR' ? 'error' : 'warn']({ meta: plain(meta) }, message);
    }),
    // The process handles its own shutdown.
    shutdownSignals: [],
    telemetryOptions: {
      // The native part's lines go to the logger above, so that every line is JSON.
      logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} },
      ...(metricsPort === null ? {} : { metrics: { prometheus: { bindAddress: `127.0.0.1:${metricsPort}` } } }),
    },
  });
}

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

/** Returns whether a failure is a refusal, which is an answer and not an error. */
function isRefusal(meta: Record<string, unknown> | undefined): boolean {
  return meta?.['error'] instanceof ApplicationFailure && meta['error'].nonRetryable === true;
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
