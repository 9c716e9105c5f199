import type { UpdateDefinition } from '@temporalio/common';
import type { TaskQueue } from '../../config.ts';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { Caller } from '../context.ts';
import type { ProcessKind, ProcessRef } from '../process-ref.ts';

/** How a command is sent: by whom, and under which key it may be repeated. */
export interface CommandOptions {
  caller: Caller;
  /** The client's Idempotency-Key; without one every sending is a command of its own. */
  idempotencyKey: string | null;
}

/** What administrators see of a process (decisions.md §9). */
export interface ProcessDescription {
  workflow_id: string;
  status: string;
  waiting_for: string | null;
  url: string | null;
}

export type WorkerPresence = 'ok' | 'absent' | 'unknown';

/** The long-lived processes as the API sees them: a port, so that the domain knows nothing of the engine. */
export interface Processes {
  /**
   * Sends a command to a record's process, starting the process if it is missing, and returns when the command is in effect.
   * @throws {DomainError} the command's own refusal; workflow_unavailable when no answer came in time (safe to repeat with the same key)
   */
  command<Args>(
    process: ProcessRef,
    update: UpdateDefinition<void, [ProcessCommand<Args>]>,
    args: Args,
    options: CommandOptions,
  ): Promise<void>;
  /** Sends a question that is not a command of anyone, such as "look again". @throws {DomainError} workflow_unavailable */
  ask(process: ProcessRef, update: UpdateDefinition<void, [{ requestId: string }]>, requestId: string): Promise<void>;
  /** Tells a process that its facts changed; starts it if it is missing. For one-time secrets: starts the timer anew. */
  touch(process: ProcessRef, requestId: string): Promise<void>;
  /** The same without waiting; a failure is logged and left to the sweeper. */
  touchInBackground(process: ProcessRef, requestId: string): void;
  /** Sends a signal to a process, starting it if it is missing; without waiting. One that is still on its way to the same process is enough. */
  hintInBackground(process: ProcessRef, signal: 'bank-hint', requestId: string): void;
  /** Ids of all running processes of a kind. */
  listRunning(kind: ProcessKind): AsyncIterable<string>;
  /** How a process stands; null when there is none or the engine cannot be asked. */
  describe(process: ProcessRef): Promise<ProcessDescription | null>;
  /** Runs the sweeper and waits until it is done. @returns records driven, by phase */
  sweep(requestId: string): Promise<Record<string, number>>;
  /** @throws when the engine cannot be reached */
  check(): Promise<void>;
  /** Whether a worker serves each task queue, as of a few seconds ago; `unknown` where the engine does not say. Never throws. */
  findWorkers(): Promise<Record<TaskQueue, WorkerPresence>>;
  /** Waits for what is under way in the background, then disconnects. */
  close(): Promise<void>;
}
