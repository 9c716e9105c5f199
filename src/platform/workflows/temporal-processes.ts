import {
  Client,
  Connection,
  isGrpcServiceError,
  WithStartWorkflowOperation,
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { ApplicationFailure, type SearchAttributePair, type Workflow } from '@temporalio/common';
import type { Logger } from 'pino';
import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { SweepInput, SweepReport } from '../../../workflows/contracts/sweep.contract.ts';
import { beginsNewRun, searchAttributes, wakeSignal } from '../../../workflows/contracts/process.contract.ts';
import { type TaskQueue, type Variables, workflowQueues } from '../../registry/config.ts';
import { DomainError, isDomainError, isErrorCode } from '../../errors.ts';
import { unrecorded } from '../commands/context.ts';
import { encryptAddress } from '../secrets/encrypted-address.ts';
import { causeOf } from '../logging/log.ts';
import { parseProcessRef, type ProcessRef } from './process-ref.ts';
import type { ProcessStart } from './process-start.ts';
import { tracing } from '../tracing/tracing.ts';
import { temporalConnectionOptions, temporalProblem } from './connect.ts';
import type { ProcessDefinition } from './define-process.ts';
import { listFailed, listPatched, quoted } from './list-processes.ts';
import type { WakeUp } from './outbox.ts';
import type { CommandOptions, FailedProcess, ProcessDescription, Processes, StartReason, TaskFault } from './processes.ts';
import { findTaskFault } from './task-fault.ts';

/** Maximum wait of a caller, with Temporal's retries. */
const answerDeadlineMs = 10_000;
const signalDeadlineMs = 5_000;
/** Longer, because no caller waits and an adoption starts many at once. */
const startDeadlineMs = 30_000;
const checkDeadlineMs = 2_000;
/** After so many failed checks in a row, Temporal counts as away. */
const leastFailedChecks = 2;
const sweepDeadlineMs = 10 * 60_000;
/** After this time lists are answered without Temporal. */
const listDeadlineMs = 2_000;
/** Instants of a message without an answer at which its process is examined, milliseconds. */
const examinedAfterMs = [800, 1_600, 5_000];

/** Records for administrators that the workflow tasks of a process fail. */
type RecordFault = (ref: ProcessRef, fault: TaskFault) => Promise<void>;

/** Connects lazily, so that the API starts and answers reads without Temporal (API-10). */
export async function connectProcesses(
  config: Variables,
  log: Logger,
  definitions: readonly ProcessDefinition[],
  recordFault: RecordFault,
): Promise<Processes> {
  const connection = Connection.lazy({ ...(await temporalConnectionOptions(config)), connectTimeout: '2s' });
  const interceptors = tracing === null ? {} : { workflow: [tracing.client] };
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE, interceptors });
  return new TemporalProcesses(client, connection, log, config, definitions, recordFault);
}

class TemporalProcesses implements Processes {
  private readonly client: Client;
  private readonly connection: Connection;
  private readonly log: Logger;
  private readonly uiUrl: string | null;
  private readonly secret: string | undefined;
  /** Address and namespace, for messages. */
  private readonly place: string;
  /** Failed checks in a row. */
  private failedChecks = 0;
  private readonly definitions: ReadonlyMap<string, ProcessDefinition>;
  private readonly recordFault: RecordFault;

  constructor(
    client: Client,
    connection: Connection,
    log: Logger,
    config: Variables,
    definitions: readonly ProcessDefinition[],
    recordFault: RecordFault,
  ) {
    this.recordFault = recordFault;
    this.definitions = new Map(definitions.map((definition) => [definition.kind, definition]));
    this.client = client;
    this.connection = connection;
    this.log = log;
    this.uiUrl = config.TEMPORAL_UI_URL ?? null;
    this.secret = config.SESSION_SECRET;
    this.place = `${config.TEMPORAL_ADDRESS}, namespace ${config.TEMPORAL_NAMESPACE}`;
  }

  async command(ref: ProcessRef, name: string, args: unknown, options: CommandOptions): Promise<void> {
    const { caller, commandId, request = null, privateInputId = null } = options;
    const sender = encryptAddress(unrecorded(caller), this.secret);
    await this.update(ref, name, { commandId, request, caller: sender, args, privateInputId }, caller.requestId);
  }

  async ask(ref: ProcessRef, question: string, requestId: string): Promise<void> {
    await this.update(ref, question, { requestId }, requestId);
  }

  /**
   * Sends an update-with-start. The update's id is random, so that a refusal is not bound to the client's key; the database ensures that a
   * command takes effect once. Restarts a process that completed meanwhile. Retries a busy process (ten messages at once) until the
   * caller's time limit.
   */
  private async update(ref: ProcessRef, name: string, input: unknown, requestId: string): Promise<void> {
    if (this.isAway) throw new DomainError('workflow_unavailable');
    const updateId = randomUUID();
    const deadline = Date.now() + answerDeadlineMs;
    for (;;) {
      try {
        const startWorkflowOperation = this.startOperation(ref, requestId);
        const call = new AbortController();
        const answer = this.client.withAbortSignal(call.signal, () =>
          this.client.withDeadline(deadline, () =>
            this.client.workflow.executeUpdateWithStart<Workflow, void, [unknown]>(name, {
              args: [input],
              updateId,
              startWorkflowOperation,
            }),
          ),
        );
        return await this.unlessFailing(ref, answer, call);
      } catch (error) {
        const pauseMs = 50 + Math.random() * 150;
        if (!isTransient(error) || Date.now() + pauseMs > deadline) throw asRefusal(error);
        await setTimeout(pauseMs);
      }
    }
  }

  /**
   * Waits for the answer of a process, and examines a process that does not answer: one whose workflow tasks fail never would.
   * @param call of the answer
   * @throws {DomainError} process_unavailable
   */
  private async unlessFailing(ref: ProcessRef, answer: Promise<void>, call: AbortController): Promise<void> {
    const settled = answer.then(
      () => true,
      () => true,
    );
    const sentAt = Date.now();
    for (const afterMs of examinedAfterMs) {
      const patience = new AbortController();
      const isSettled = await Promise.race([
        settled,
        setTimeout(Math.max(0, sentAt + afterMs - Date.now()), false, { signal: patience.signal }).catch(() => false),
      ]);
      patience.abort();
      if (isSettled) break;
      const description = await Promise.race([settled.then(() => null), this.describe(ref)]);
      const taskFault = description?.taskFault ?? null;
      if (taskFault === null) continue;
      // Otherwise a restarted process could still receive it.
      call.abort();
      await this.recordFault(ref, taskFault).catch((error: unknown) =>
        this.log.warn({ process: ref, cause: causeOf(error) }, 'cannot record the trouble of a process'),
      );
      throw new DomainError('process_unavailable', { reason: taskFault });
    }
    await answer;
  }

  async wake({ process: ref, requestId }: Pick<WakeUp, 'process' | 'requestId'>): Promise<void> {
    const { kind, id } = parseProcessRef(ref);
    const definition = this.definitionOf(kind);
    const { workflowType, ...start } = this.startOptions(ref, requestId);
    await this.client.withDeadline(Date.now() + signalDeadlineMs, async () => {
      if (definition.type === 'timer') {
        await this.client.workflow.start(workflowType, {
          ...start,
          args: [{ kind, holder: id }],
          startDelay: definition.lifetimeMs,
          workflowIdConflictPolicy: 'TERMINATE_EXISTING',
        });
      } else {
        await this.client.workflow.signalWithStart(workflowType, { ...start, signal: wakeSignal, signalArgs: [{ requestId }] });
      }
    });
  }

  async start(
    ref: ProcessRef,
    { stage, waitingFor, delayMs }: ProcessStart,
    { requestId, why }: { requestId: string; why: StartReason },
  ): Promise<boolean> {
    const shown = [
      { key: searchAttributes.stage, value: stage },
      { key: searchAttributes.waitingFor, value: waitingFor },
      { key: searchAttributes.dueAt, value: new Date(Date.now() + delayMs) },
    ];
    const { workflowType, ...start } = this.startOptions(ref, requestId, shown);
    try {
      await this.client.withDeadline(Date.now() + startDeadlineMs, () =>
        this.client.workflow.start(workflowType, {
          ...start,
          startDelay: delayMs,
          workflowIdConflictPolicy: why === 'replaced' ? 'TERMINATE_EXISTING' : 'FAIL',
          // A restart would wait for an old date.
          workflowIdReusePolicy: why === 'new' ? 'ALLOW_DUPLICATE_FAILED_ONLY' : 'ALLOW_DUPLICATE',
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
      throw error;
    }
  }

  listPatched(patch: string, startedBefore: Date): AsyncIterable<ProcessRef[]> {
    return listPatched(this.client, patch, startedBefore);
  }

  async terminateStartedBefore(instant: Date, workflowTypes: readonly string[]): Promise<void> {
    const types = quoted([...workflowTypes, 'sweep']);
    const query = `ExecutionStatus = 'Running' AND WorkflowType IN (${types}) AND StartTime < '${instant.toISOString()}'`;
    for await (const { workflowId, runId } of this.client.workflow.list({ query, pageSize: 1000 })) {
      await this.client.workflow
        .getHandle(workflowId, runId)
        .terminate('replaced after an upgrade of the workflows')
        .catch((error: unknown) => {
          if (!(error instanceof WorkflowNotFoundError)) throw error;
        });
    }
  }

  async find(ref: ProcessRef): Promise<ProcessDescription | null> {
    try {
      const found = await this.client.withDeadline(Date.now() + 2_000, () => this.client.workflow.getHandle(ref).describe());
      return {
        workflow_id: ref,
        status: found.status.name.toLowerCase(),
        waiting_for: found.typedSearchAttributes.get(searchAttributes.waitingFor) ?? null,
        url: this.uiUrl === null ? null : `${this.pageOf(ref)}/${found.runId}/history`,
        taskFault:
          (found.raw.pendingWorkflowTask?.attempt ?? 0) > 1
            ? await findTaskFault(this.connection, this.client.options.namespace, found)
            : null,
        endedAt: found.closeTime ?? null,
      };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw asRefusal(error);
    }
  }

  async describe(ref: ProcessRef): Promise<ProcessDescription | null> {
    try {
      return await this.find(ref);
    } catch (error) {
      this.log.warn({ process: ref, cause: causeOf(error) }, 'cannot read a process from Temporal');
      return null;
    }
  }

  pageOf(ref: ProcessRef): string | null {
    return this.uiUrl === null ? null : `${this.uiUrl}/namespaces/${this.client.options.namespace}/workflows/${encodeURIComponent(ref)}`;
  }

  async listFailed(workflowTypes: readonly string[], most: number): Promise<{ failed: FailedProcess[]; isWhole: boolean }> {
    try {
      return await this.client.withDeadline(Date.now() + listDeadlineMs, () => listFailed(this.client, workflowTypes, most));
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async lastSweep(): Promise<Date | null> {
    const query = `ExecutionStatus = 'Completed' AND WorkflowType = 'sweep'`;
    try {
      return await this.client.withDeadline(Date.now() + listDeadlineMs, async () => {
        for await (const { closeTime } of this.client.workflow.list({ query, pageSize: 1 })) return closeTime ?? null;
        return null;
      });
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async sweep(requestId: string): Promise<Record<string, number>> {
    const input: SweepInput = { requestId };
    try {
      const report = await this.client.withDeadline(Date.now() + sweepDeadlineMs, () =>
        this.client.workflow.execute<(input: SweepInput) => Promise<SweepReport>>('sweep', {
          workflowId: `sweep/${randomUUID()}`,
          taskQueue: 'registry',
          args: [input],
        }),
      );
      return report.driven;
    } catch (error) {
      throw asRefusal(error);
    }
  }

  async check(): Promise<void> {
    const { namespace } = this.client.options;
    try {
      await this.client.withDeadline(Date.now() + checkDeadlineMs, () => this.connection.workflowService.describeNamespace({ namespace }));
      this.failedChecks = 0;
    } catch (error) {
      this.failedChecks += 1;
      throw temporalProblem(error, this.place);
    }
  }

  /** One slow answer of a busy Temporal refuses no command. */
  private get isAway(): boolean {
    return this.failedChecks >= leastFailedChecks;
  }

  async checkWorkers(queue: TaskQueue): Promise<void> {
    if (this.isAway) throw new Error('Temporal is away.');
    await checkWorkers(this.client, this.connection, queue);
  }

  async close(): Promise<void> {
    await this.connection.close();
  }

  private startOperation(ref: ProcessRef, requestId: string) {
    const { workflowType, ...start } = this.startOptions(ref, requestId);
    return new WithStartWorkflowOperation(workflowType, { ...start, workflowIdConflictPolicy: 'USE_EXISTING' });
  }

  private startOptions(ref: ProcessRef, requestId: string, shown: SearchAttributePair[] = []) {
    const { kind, id } = parseProcessRef(ref);
    const definition = this.definitionOf(kind);
    return {
      workflowType: definition.workflow,
      workflowId: ref,
      taskQueue: definition.queue,
      args: [{ id: Number(id) }] as unknown[],
      memo: { requestId },
      typedSearchAttributes: [...(definition.attributes?.(id) ?? []), { key: searchAttributes.requestId, value: requestId }, ...shown],
      staticSummary: definition.summary(id),
      // A killed worker blocks the process for this time; a task takes milliseconds.
      workflowTaskTimeout: '3s' as const,
    };
  }

  private definitionOf(kind: string): ProcessDefinition {
    const definition = this.definitions.get(kind);
    if (!definition) throw new RangeError(`unknown kind of process: ${kind}`);
    return definition;
  }
}

/** Whether the same message may get through a moment later: the run was just ending, or the process or Temporal is full. */
function isTransient(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (error instanceof WorkflowUpdateFailedError)
    return error.cause instanceof ApplicationFailure && transientTypes.has(error.cause.type ?? '');
  return isGrpcServiceError(error) && transientGrpcCodes.has(error.code);
}

/** The run ended during the message or starts a new run. A retry finds processed commands. */
const transientTypes: ReadonlySet<string> = new Set(['UnprocessedUpdate', 'AcceptedUpdateCompletedWorkflow', beginsNewRun]);

/** RESOURCE_EXHAUSTED, FAILED_PRECONDITION (too many messages ended a workflow task with the update) and ABORTED. */
const transientGrpcCodes: ReadonlySet<number> = new Set([8, 9, 10]);

/** Converts a Temporal error into the refusal that a direct route would give. */
function asRefusal(error: unknown): DomainError {
  if (isDomainError(error)) return error;
  if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure && isErrorCode(error.cause.type)) {
    const [details] = error.cause.details ?? [];
    return new DomainError(error.cause.type, isRecord(details) ? details : undefined, error.cause.message, { cause: error });
  }
  const reason = isGrpcServiceError(error) ? error.details : error instanceof Error ? error.message : String(error);
  return new DomainError('workflow_unavailable', undefined, undefined, { cause: new Error(reason, { cause: error }) });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const presenceDeadlineMs = 1_000;
/** Workers poll at least once a minute; Temporal lists one that is gone for five. */
const absentAfterMs = 90_000;
/** TASK_QUEUE_TYPE_WORKFLOW and TASK_QUEUE_TYPE_ACTIVITY of Temporal's interface. */
const [workflowTasks, activityTasks] = [1, 2];

/** Checks that a worker polls a task queue. @throws when none does, or when Temporal does not answer */
async function checkWorkers(client: Client, connection: Connection, queue: TaskQueue): Promise<void> {
  const { pollers } = await connection.withDeadline(Date.now() + presenceDeadlineMs, () =>
    connection.workflowService.describeTaskQueue({
      namespace: client.options.namespace,
      taskQueue: { name: queue },
      taskQueueType: workflowQueues.some((candidate) => candidate === queue) ? workflowTasks : activityTasks,
    }),
  );
  const lastSeen = Math.max(0, ...pollers.map(({ lastAccessTime }) => Number(String(lastAccessTime?.seconds ?? 0)) * 1000));
  if (Date.now() - lastSeen >= absentAfterMs)
    throw new Error(`No worker polled the queue ${queue} within ${absentAfterMs / 1000} seconds.`);
}
