import Koa from 'koa';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterAnswersDone, authenticator } from './areas/accounts/index.ts';
import { introduceBot } from './areas/messaging-bot/index.ts';
import { baseUrl, ConfigurationError, loadConfig, required } from './config.ts';
import { closePlatform, createPlatform } from './create-platform.ts';
import { createApp } from './http/app.ts';
import { createBoundedServer } from './http/connections/bounded-server.ts';
import { metricsRegistry, showEventLoop, watchEventLoop } from './http/operations/metrics.ts';
import { readinessChecks, watchReadiness } from './http/operations/readiness.ts';
import { exitWithParent, reportReady } from './platform/exit-with-parent.ts';
import type { Platform } from './platform/platform.ts';
import { allRoutes } from './routes.ts';

/** A running API. `close` refuses new requests, finishes those in progress, then closes the database and Temporal. */
export interface RunningApi {
  url: string;
  platform: Platform;
  close(): Promise<void>;
}

/** Time for requests in progress before their connections are closed. */
const drainMs = 10_000;
/** Interval of the check for idle connections. */
const idleLookMs = 50;

/** Starts the API on the configured address; port 0 takes a free one. */
export async function startApi(config = loadConfig(), port = config.PORT): Promise<RunningApi> {
  const platform = await createPlatform(config, 'api');
  const readiness = await watchReadiness(readinessChecks(platform), platform.log);
  const routes = allRoutes(
    { sandbox: platform.clock.sandbox, ownMetricsPort: config.METRICS_PORT !== undefined, baseUrl: baseUrl(config) },
    () => readiness.state(),
  );
  const app = createApp(platform, routes, authenticator, required(config, 'SESSION_SECRET'));
  const server = createBoundedServer(app.callback(), config);
  await listen(server, port, config.HOST);
  const metrics = config.METRICS_PORT === undefined ? null : await serveMetrics(config.METRICS_PORT, config.HOST);
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
    async close() {
      const stoppedLooking = Promise.all([readiness.stop(), introduction.stop()]);
      const cut = setTimeout(() => server.closeAllConnections(), drainMs);
      const closed = Promise.all([closeServer(server), metrics === null ? undefined : closeServer(metrics)]);
      // Live streams do not end by themselves.
      await platform.streams.close();
      await closed;
      clearTimeout(cut);
      await stoppedLooking;
      showEventLoop(null);
      eventLoop.stop();
      await afterAnswersDone();
      await closePlatform(platform);
    },
  };
}

async function serveMetrics(port: number, host: string): Promise<Server> {
  const app = new Koa();
  app.use(async (ctx) => {
    ctx.type = metricsRegistry.contentType;
    ctx.body = await metricsRegistry.metrics();
  });
  const server = createServer(app.callback());
  await listen(server, port, host);
  return server;
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  server.listen(port, host);
  await once(server, 'listening');
}

/** Refuses new requests and waits for those in progress. Node would keep idle connections open as long as their clients do. */
async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const looking = setInterval(() => server.closeIdleConnections(), idleLookMs);
  await closed;
  clearInterval(looking);
}

if (import.meta.main) {
  try {
    const api = await startApi();
    let isClosing = false;
    const shutdown = async () => {
      if (isClosing) return;
      isClosing = true;
      api.platform.log.info('the API shuts down');
      await api.close();
    };
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void shutdown());
    exitWithParent(shutdown);
    reportReady();
  } catch (error) {
    const isExpected = error instanceof ConfigurationError || (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE');
    process.stderr.write(
      `${isExpected ? (error as Error).message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    process.exit(1);
  }
}
