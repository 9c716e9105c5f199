import { ApplicationFailure } from '@temporalio/common';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { ConfigurationError, loadConfig } from '../src/config.ts';
import { closePlatform, createPlatform } from '../src/create-platform.ts';
import { exitWithParent, reportReady } from '../src/platform/exit-with-parent.ts';
import { workflowCode } from './bundle.ts';
import { startWorkers } from './create-worker.ts';
import { prepareTemporal } from './prepare-temporal.ts';

/** Runs a worker process: serves the task queues of WORKER_QUEUES until it is stopped. */
async function main(): Promise<void> {
  const config = loadConfig();
  const platform = await createPlatform(config, 'worker');
  Runtime.install({
    logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
      // Expected for a queue without workflows (`workflowQueues`).
      if (message.startsWith('No workflows registered')) return;
      if (isRefusal(meta)) platform.log.debug({ meta: plain(meta) }, 'a command was refused');
      else platform.log[level === 'ERROR' ? 'error' : 'warn']({ meta: plain(meta) }, message);
    }),
    // The process handles its own shutdown.
    shutdownSignals: [],
    ...(config.WORKER_METRICS_PORT === undefined
      ? {}
      : { telemetryOptions: { metrics: { prometheus: { bindAddress: `${config.HOST}:${config.WORKER_METRICS_PORT}` } } } }),
  });
  await prepareTemporal(config);
  const workers = await startWorkers(config, platform, await workflowCode(config.NODE_ENV === 'production', config.DATA_DIR));
  let isClosing = false;
  const shutdown = async () => {
    if (isClosing) return;
    isClosing = true;
    platform.log.info('the worker drains');
    await workers.shutdown();
    await closePlatform(platform);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void shutdown());
  exitWithParent(shutdown);
  platform.log.info({ queues: config.WORKER_QUEUES }, 'the worker serves');
  reportReady();
  await workers.finished;
  await shutdown();
}

/** A refusal is an answer to a caller, not a fault. */
function isRefusal(meta: Record<string, unknown> | undefined): boolean {
  return meta?.['error'] instanceof ApplicationFailure && meta['error'].nonRetryable === true;
}

/** Returns Temporal's own log fields, without objects that could hold more than ids. */
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
  process.stderr.write(
    `worker: ${error instanceof ConfigurationError ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exit(1);
}
