import { Client, Connection, ScheduleAlreadyRunning, type ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Variables } from '../src/registry/config.ts';
import { temporalConnectionOptions } from '../src/platform/workflows/connect.ts';
import { sweepScheduleId } from '../workflows/contracts/sweep.contract.ts';
import { searchAttributes } from '../workflows/contracts/process.contract.ts';

/** Numbers of `IndexedValueType` in Temporal's API. */
const [keywordType, dateTimeType] = [2, 6];
/** The search attributes of the workflows by name, as Temporal's API registers them. */
export const searchAttributeTypes = Object.fromEntries(
  Object.values(searchAttributes).map(({ name, type }) => [name, type === 'DATETIME' ? dateTimeType : keywordType]),
);

/** Creates the search attributes and the sweeper's schedule in Temporal. Idempotent. */
export async function prepareTemporal(config: Variables): Promise<void> {
  const connection = await Connection.connect(await temporalConnectionOptions(config));
  try {
    await ensureSearchAttributes(connection, config.TEMPORAL_NAMESPACE);
    await ensureSweeper(new Client({ connection, namespace: config.TEMPORAL_NAMESPACE }));
  } finally {
    await connection.close();
  }
}

export async function ensureSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributeTypes).filter(([name]) => !Object.hasOwn(customAttributes ?? {}, name));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing),
  });
}

async function ensureSweeper(client: Client): Promise<void> {
  const options: ScheduleOptions = {
    scheduleId: sweepScheduleId,
    spec: { intervals: [{ every: '1m' }] },
    policies: { overlap: ScheduleOverlapPolicy.SKIP, catchupWindow: '10m' },
    action: {
      type: 'startWorkflow',
      workflowType: 'sweep',
      taskQueue: 'registry',
      workflowId: 'sweep',
      // A stuck run must not block the following ones.
      workflowRunTimeout: '30m',
      args: [{ requestId: 'schedule', isPaced: true }],
    },
  };
  try {
    await client.schedule.create(options);
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    // An earlier release may have created it with other settings.
    await client.schedule
      .getHandle(sweepScheduleId)
      .update(({ state }) => ({ ...options, spec: options.spec, action: options.action as never, state }));
  }
}
