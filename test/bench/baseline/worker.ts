import { bundleWorkflowCode, DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { fileURLToPath } from 'node:url';
import { reportReady } from '../../../src/platform/runtime/exit-with-parent.ts';
import { loadConfig, required } from '../../../src/registry/config.ts';
import { type BaselineActivities, type ProcessView, taskQueues } from './workflows.ts';

/** A worker process with the workflows, queues and settings of the baseline. Its activities do nothing. */

/** Of each queue's worker; a pool of 20 connections allowed three queues this number of activities. */
const workerSettings = {
  stickyQueueScheduleToStartTimeout: '1s',
  shutdownGraceTime: '10s',
  maxConcurrentActivityTaskExecutions: 6,
  maxConcurrentWorkflowTaskExecutions: 40,
  maxCachedWorkflows: 500,
} as const;
const yearMs = 365 * 86_400_000;

const applications = new Map<number, ProcessView>();
const invoices = new Map<number, ProcessView>();
const paid: ProcessView = { stage: 'paid', waitingFor: 'none', details: 'Paid.', isOver: true, wakeAfterMs: null };

/** Return what the real steps would return, so that the processes exchange the same messages. */
const activities = {
  reconsiderApplication: async (id: number) => applications.get(id) ?? view('draft', 'owner'),
  submitApplication: async (id: number) => move(applications, id, view('submitted', 'owner')),
  payApplication: async (id: number) => move(applications, id, view('approved', 'date')),
  makeCertificate: async (applicationId: number) => void process.send?.({ applicationId }),
  checkoutInvoice: async (id: number) => move(invoices, id, view('pending', 'bank')),
  verifyInvoice: async (id: number) => move(invoices, id, paid),
  reconcileInvoice: async (id: number, { askNow }: { askNow: boolean }) =>
    askNow ? move(invoices, id, paid) : (invoices.get(id) ?? view('created', 'owner')),
  reconsiderDocument: async () => view('pending', 'administrator'),
  reviewDocument: async () => view('approved', 'date'),
} satisfies Partial<BaselineActivities>;

function view(stage: string, waitingFor: ProcessView['waitingFor']): ProcessView {
  return { stage, waitingFor, details: 'A baseline that does nothing.', isOver: false, wakeAfterMs: yearMs };
}

function move(views: Map<number, ProcessView>, id: number, next: ProcessView): ProcessView {
  views.set(id, next);
  return next;
}

const logger = new DefaultLogger('WARN');
Runtime.install({ logger, shutdownSignals: [] });
const config = loadConfig();
const connection = await NativeConnection.connect({ address: required(config, 'TEMPORAL_ADDRESS') });
const workflowsPath = fileURLToPath(new URL('./workflows.ts', import.meta.url));
const workflowBundle = await bundleWorkflowCode({ workflowsPath, logger });
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
