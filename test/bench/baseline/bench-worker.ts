import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { loadConfig, required } from '../../../src/config.ts';
import { reportReady } from '../../../src/platform/exit-with-parent.ts';
import { createBaselineActivities } from './bench-activities.ts';
import { taskQueues, workerSettings } from './settings.ts';

/** A worker process with the workflows, queues and settings of the baseline, whose activities do nothing. */
const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const config = loadConfig();
const connection = await NativeConnection.connect({ address: required(config, 'TEMPORAL_ADDRESS') });
const workflowsPath = fileURLToPath(new URL('./index.ts', import.meta.url));
const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
const activities = createBaselineActivities((applicationId) => process.send?.({ applicationId }));
const workers = await Promise.all(
  taskQueues.map((taskQueue) =>
    Worker.create({ connection, namespace: config.TEMPORAL_NAMESPACE, taskQueue, activities, workflowBundle, ...workerSettings }),
  ),
);
const running = workers.map((worker) => worker.run());
reportReady();
const shutdown = () => {
  for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
};
process.once('disconnect', shutdown);
process.once('SIGTERM', shutdown);
await Promise.all(running);
await connection.close();
process.exit(0);
