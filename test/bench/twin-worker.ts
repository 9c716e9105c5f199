import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { loadConfig, required } from '../../src/config.ts';
import { reportReady } from '../../src/embedded/leash.ts';
import { workflowCode } from '../../worker/bundle.ts';
import { workerSettings } from '../../worker/create-worker.ts';
import { createTwinActivities } from './twin-activities.ts';

/** A worker process with the registry's workflows, queues and settings, whose activities do nothing. */
Runtime.install({ logger: new DefaultLogger('WARN'), shutdownSignals: [] });
const config = loadConfig();
const connection = await NativeConnection.connect({ address: required(config, 'TEMPORAL_ADDRESS') });
const workflowBundle = await workflowCode(false, config.DATA_DIR);
const activities = createTwinActivities((applicationId) => process.send?.({ applicationId }));
const workers = await Promise.all(
  config.WORKER_QUEUES.map((taskQueue) =>
    Worker.create({ connection, namespace: config.TEMPORAL_NAMESPACE, taskQueue, activities, workflowBundle, ...workerSettings(config) }),
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
