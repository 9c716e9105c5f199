import { once } from 'node:events';
import type { Server } from 'node:http';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { afterAnswersDone, authenticator } from './areas/accounts/index.ts';
import { prepareSigningKeys } from './areas/credentials/index.ts';
import { introduceBot } from './areas/messaging-bot/index.ts';
import { baseUrl, loadConfig, required, shutdownDelayMs } from './registry/config.ts';
import { closePlatform, createPlatform } from './registry/create-platform.ts';
import { createApp } from './http/app.ts';
import { createBoundedServer } from './http/connections/bounded-server.ts';
import { dependencyChecks, type Health, readinessOf } from './http/operations/health.ts';
import { showEventLoop, watchEventLoop } from './http/operations/metrics.ts';
import { serveOperations } from './http/operations/operations-server.ts';
import { removeAbandonedFiles } from './http/request/received-files.ts';
import { exitWithParent, reportReady } from './platform/runtime/exit-with-parent.ts';
import { watchDependencies } from './platform/health/watch-dependencies.ts';
import { logFatal } from './platform/logging/log.ts';
import { metricsRegistry, showDependencies } from './platform/metrics/registry.ts';
import type { Platform } from './platform/platform.ts';
import { requireSafeStart } from './registry/require-safe-start.ts';
import { allRoutes } from './registry/routes.ts';

/** A running API. */
export interface RunningApi {
  url: string;
  platform: Platform;
  /** Makes the process unready; it still serves, so that proxies stop sending requests. */
  retire(): void;
  /** Refuses new requests, finishes those in progress, then closes the database and Temporal. */
  close(): Promise<void>;
}

/** Time for requests in progress before their connections are closed. */
const drainMs = 10_000;
/** Interval of the check for idle connections. */
const idleCheckMs = 50;

/** Starts the API on the configured address; port 0 selects a free port. */
export async function startApi(config = loadConfig(), port = config.PORT): Promise<RunningApi> {
  const platform = await createPlatform(config, 'api');
  await requireSafeStart(platform, 'api');
  await prepareSigningKeys(platform);
  const dependencies = await watchDependencies(dependencyChecks(platform), platform.log);
  showDependencies(dependencies.statuses);
  let isStopping = false;
  const health = (): Health => ({ isStopping, dependencies: dependencies.statuses() });
  const routes = allRoutes(
    { sandbox: platform.clock.sandbox, ownMetricsPort: config.METRICS_PORT !== undefined, baseUrl: baseUrl(config) },
    health,
  );
  const app = createApp(platform, routes, authenticator, required(config, 'SESSION_SECRET'));
  const server = createBoundedServer(app.callback(), config);
  await listen(server, port, config.HOST);
  const operations =
    config.METRICS_PORT === undefined
      ? null
      : await serveOperations(
          { port: config.METRICS_PORT, host: config.METRICS_HOST ?? config.HOST },
          {
            metrics: () => metricsRegistry.metrics(),
            metricsType: metricsRegistry.contentType,
            readiness: () => readinessOf(health()),
          },
        );
  // Measured from here: loading before the start delays no request.
  const eventLoop = watchEventLoop();
  showEventLoop(eventLoop);
  const address = server.address();
  const url = `http://${config.HOST}:${typeof address === 'object' && address ? address.port : port}`;
  platform.log.info({ url }, 'the API listens');
  const introduction = introduceBot(platform);
  return {
    url,
    platform,
    retire() {
      isStopping = true;
    },
    async close() {
      isStopping = true;
      const stoppedLooking = Promise.all([dependencies.stop(), introduction.stop()]);
      const cut = globalThis.setTimeout(() => server.closeAllConnections(), drainMs);
      const closed = closeServer(server);
      // Live streams do not end by themselves.
      await platform.streams.close();
      await closed;
      clearTimeout(cut);
      if (operations !== null) await closeServer(operations);
      await stoppedLooking;
      showEventLoop(null);
      showDependencies(null);
      eventLoop.stop();
      await afterAnswersDone();
      await closePlatform(platform);
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** Refuses new requests and waits for those in progress. Closes idle connections, which Node keeps open. */
async function closeServer(server: Server): Promise<void> {
  // A whole turn of the event loop takes the connections that clients made while it was busy; the operating system resets the others.
  await setImmediate();
  await setImmediate();
  const closed = once(server, 'close');
  server.close();
  const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  await closed;
  clearInterval(timer);
}

if (import.meta.main) {
  try {
    await removeAbandonedFiles();
    const api = await startApi();
    let isClosing = false;
    const shutdown = async () => {
      if (isClosing) return;
      isClosing = true;
      api.platform.log.info('the API shuts down');
      await api.close();
    };
    const retireAndShutDown = async () => {
      const delayMs = shutdownDelayMs(api.platform.config);
      api.platform.log.info({ delay_ms: delayMs }, 'the API is not ready any more');
      api.retire();
      await setTimeout(delayMs);
      await shutdown();
    };
    // A second SIGTERM must not end the process: npm and a supervisor may both send one.
    process.on('SIGTERM', () => void retireAndShutDown());
    process.on('SIGINT', () => void shutdown());
    exitWithParent(shutdown);
    reportReady();
  } catch (error) {
    logFatal('api', error);
    process.exit(1);
  }
}
