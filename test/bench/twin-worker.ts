import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { loadConfig, required } from '../../src/config.ts';
import { reportReady } from '../../src/embedded/leash.ts';
import { workerSettings } from '../../worker/create-worker.ts';
import { twinQueues } from './twin-process.contract.ts';

/** A worker process like the registry's, with as many queues and the same settings; its one activity answers at once. */
const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const config = loadConfig();
const connection = await NativeConnection.connect({ address: required(config, 'TEMPORAL_ADDRESS') });
const workflowBundle = await bundleWorkflowCode({ workflowsPath: fileURLToPath(new URL('twin-process.ts', import.meta.url)), logger });
const activities = { noOp: async (commandId: string) => commandId };
const workers = await Promise.all(
  Object.values(twinQueues).map((taskQueue) =>
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
