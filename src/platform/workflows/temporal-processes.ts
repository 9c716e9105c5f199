import { createHash, randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import {
  Client,
  Connection,
  WithStartWorkflowOperation,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  isGrpcServiceError,
} from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import type { Logger } from 'pino';
import type { Variables } from '../../config.ts';
import { DomainError, isDomainError, isErrorCode } from '../../errors.ts';
import type { AdoptOrphansInput, SweepReport } from '../../../workflows/adopt-orphans.contract.ts';
import { beginsNewRun, factsChangedSignal, searchAttributes } from '../../../workflows/process.contract.ts';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { Actor } from '../context.ts';
import { causeOf } from '../log.ts';
import { parseProcessRef } from '../process-ref.ts';
import type { ProcessKind, ProcessRef } from '../process-ref.ts';
import { sealAddress } from '../sealed-address.ts';
import { engineConnectionOptions } from './connect.ts';
import { processTypes, secretLifetimeMs } from './process-types.ts';
import type { CommandOptions, ProcessDescription, Processes } from './processes.ts';
import { createWorkerPresence } from './worker-presence.ts';
import type { UpdateDefinition } from '@temporalio/common';

/** A caller waits this long at the most; the engine's own retries happen within it. */
const answerDeadlineMs = 10_000;
const touchDeadlineMs = 5_000;
const touchPausesMs = [500, 3_000];
const sweepDeadlineMs = 10 * 60_000;

/** Connects lazily: the API starts, reads and verifies even while the engine is away (decisions.md §1). */
export async function connectProcesses(config: Variables, log: Logger): Promise<Processes> {
  const connection = Connection.lazy({ ...(await engineConnectionOptions(config)), connectTimeout: '5s' });
  const client = new Client({ connection, namespace: config.TEMPORAL_NAMESPACE });
  return new TemporalProcesses(client, connection, log, config);
}

class TemporalProcesses implements Processes {
  private readonly client: Client;
  private readonly connection: Connection;
  private readonly log: Logger;
  private readonly uiUrl: string | null;
  private readonly secret: string | undefined;
  readonly findWorkers: Processes['findWorkers'];
  private readonly background = new Set<Promise<void>>();
  private readonly hinted = new Set<ProcessRef>();
  private readonly closing = new AbortController();

  constructor(client: Client, connection: Connection, log: Logger, config: Variables) {
    this.client = client;
    this.connection = connection;
    this.log = log;
    this.uiUrl = config.TEMPORAL_UI_URL ?? null;
    this.secret = config.SESSION_SECRET;
    this.findWorkers = createWorkerPresence(client, connection);
  }

  async command<Args>(
    process: ProcessRef,
    update: UpdateDefinition<void, [ProcessCommand<Args>]>,
    args: Args,
    options: CommandOptions,
  ): Promise<void> {
    const { caller, idempotencyKey } = options;
    const commandId = commandIdOf(caller.actor, process, update.name, idempotencyKey);
    await this.update(process, update, { commandId, caller: sealAddress(caller, this.secret), args }, caller.requestId);
  }

  async ask(process: ProcessRef, update: UpdateDefinition<void, [{ requestId: string }]>, requestId: string): Promise<void> {
    await this.update(process, update, { requestId }, requestId);
  }

  /**
   * Update-with-start. The update's id is fresh: a refusal must not stick to the client's key, and that a command takes effect
   * once is the receipt's work, in the database. A process that completed while the message was on its way is started again;
   * one that has its hands full (ten messages at once) is asked again until the caller's time is over.
   */
  private async update<Input>(
    process: ProcessRef,
    update: UpdateDefinition<void, [Input]>,
    input: Input,
    requestId: string,
  ): Promise<void> {
    const updateId = randomUUID();
    const deadline = Date.now() + answerDeadlineMs;
    for (;;) {
      try {
        const startWorkflowOperation = this.startOperation(process, requestId);
        await this.client.withDeadline(deadline, () =>
          this.client.workflow.executeUpdateWithStart(update, { args: [input], updateId, startWorkflowOperation }),
        );
        return;
      } catch (error) {
        const pauseMs = 50 + Math.random() * 150;
        if (!mayPass(error) || Date.now() + pauseMs > deadline) throw asRefusal(error);
        await setTimeout(pauseMs);
      }
    }
  }

  async touch(process: ProcessRef, requestId: string): Promise<void> {
    const { kind, id } = parseProcessRef(process);
    const { workflowType, ...start } = this.startOptions(process, requestId);
    await this.client.withDeadline(Date.now() + touchDeadlineMs, async () => {
      if (kind === 'captcha' || kind === 'password-reset') {
        const input = { kind, holder: id };
        await this.client.workflow.start(workflowType, {
          ...start,
          args: [input],
          startDelay: secretLifetimeMs[kind],
          workflowIdConflictPolicy: 'TERMINATE_EXISTING',
        });
      } else {
        await this.client.workflow.signalWithStart(workflowType, { ...start, signal: factsChangedSignal, signalArgs: [] });
      }
    });
  }

  touchInBackground(process: ProcessRef, requestId: string): void {
    this.inBackground(process, this.touchPatiently(process, requestId));
  }

  /** The sweeper finds what is due or missing, but not a process that merely shows how its record stood before: so not one try alone. */
  private async touchPatiently(process: ProcessRef, requestId: string): Promise<void> {
    for (const pauseMs of touchPausesMs) {
      try {
        await this.touch(process, requestId);
        return;
      } catch (error) {
        if (this.closing.signal.aborted) throw error;
        this.log.debug({ process, cause: causeOf(error) }, 'a process could not be told; once more');
        await setTimeout(pauseMs, undefined, { signal: this.closing.signal }).catch(() => undefined);
      }
    }
    await this.touch(process, requestId);
  }

  hintInBackground(process: ProcessRef, signal: 'bank-hint', requestId: string): void {
    // A hint that is still on its way says the same; a flood of them must not become a flood of messages to the engine.
    if (this.hinted.has(process)) return;
    this.hinted.add(process);
    const { workflowType, ...start } = this.startOptions(process, requestId);
    const sent = this.client.withDeadline(Date.now() + touchDeadlineMs, () =>
      this.client.workflow.signalWithStart(workflowType, { ...start, signal, signalArgs: [] }),
    );
    this.inBackground(
      process,
      sent.then(() => undefined).finally(() => this.hinted.delete(process)),
    );
  }

  private inBackground(process: ProcessRef, sent: Promise<void>): void {
    const handled = sent
      .catch((error: unknown) => this.log.warn({ process, cause: causeOf(error) }, 'a process could not be told; the sweeper will'))
      .finally(() => this.background.delete(handled));
    this.background.add(handled);
  }

  async *listRunning(kind: ProcessKind): AsyncIterable<string> {
    const query = `WorkflowType = '${processTypes[kind].workflowType}' AND ExecutionStatus = 'Running'`;
    for await (const { workflowId } of this.client.workflow.list({ query, pageSize: 1000 })) yield workflowId;
  }

  async describe(process: ProcessRef): Promise<ProcessDescription | null> {
    try {
      const found = await this.client.withDeadline(Date.now() + 2_000, () => this.client.workflow.getHandle(process).describe());
      return {
        workflow_id: process,
        status: found.status.name.toLowerCase(),
        waiting_for: found.typedSearchAttributes.get(searchAttributes.waitingFor) ?? null,
        url:
          this.uiUrl === null
            ? null
            : `${this.uiUrl}/namespaces/${this.client.options.namespace}/workflows/${encodeURIComponent(process)}/${found.runId}/history`,
      };
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      this.log.warn({ process, cause: causeOf(error) }, 'a process could not be described');
      return null;
    }
  }

  async sweep(requestId: string): Promise<Record<string, number>> {
    const input: AdoptOrphansInput = { requestId };
    try {
      const report = await this.client.withDeadline(Date.now() + sweepDeadlineMs, () =>
        this.client.workflow.execute<(input: AdoptOrphansInput) => Promise<SweepReport>>('adoptOrphans', {
          workflowId: `adopt-orphans/${randomUUID()}`,
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
    await this.client.withDeadline(Date.now() + 2_000, () => this.connection.workflowService.getSystemInfo({}));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await Promise.all(this.background);
    await this.connection.close();
  }

  private startOperation(process: ProcessRef, requestId: string) {
    const { workflowType, ...start } = this.startOptions(process, requestId);
    return new WithStartWorkflowOperation(workflowType, { ...start, workflowIdConflictPolicy: 'USE_EXISTING' });
  }

  private startOptions(process: ProcessRef, requestId: string) {
    const { kind, id } = parseProcessRef(process);
    const type = processTypes[kind];
    return {
      workflowType: type.workflowType,
      workflowId: process,
      taskQueue: type.taskQueue,
      args: [type.input(id)],
      memo: { requestId },
      typedSearchAttributes: [...type.attributes(id), { key: searchAttributes.requestId, value: requestId }],
      staticSummary: type.summary(id),
      // How long a worker that was killed outright holds the turn it had begun; a turn takes milliseconds.
      workflowTaskTimeout: '3s',
    };
  }
}

/** The name under which a command takes effect once: who, to which process, what, under which key. */
function commandIdOf(actor: Actor, process: ProcessRef, update: string, idempotencyKey: string | null): string {
  if (idempotencyKey === null) return randomUUID();
  const principal = actor.kind === 'user' ? `user:${actor.userId}` : actor.kind;
  return createHash('sha256').update([principal, process, update, idempotencyKey].join('\n')).digest('hex');
}

/** Whether the same message may get through a moment later: the run was just ending, or the process or the engine is full. */
function mayPass(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return true;
  if (error instanceof WorkflowUpdateFailedError)
    return (
      error.cause instanceof ApplicationFailure &&
      (error.cause.type === 'AcceptedUpdateCompletedWorkflow' || error.cause.type === beginsNewRun)
    );
  return isGrpcServiceError(error) && passingGrpcCodes.has(error.code);
}

/** RESOURCE_EXHAUSTED and ABORTED. */
const passingGrpcCodes: ReadonlySet<number> = new Set([8, 10]);

/** Turns what came back from the engine into the refusal that a direct route would have given. */
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
