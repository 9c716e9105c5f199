import type { ProcessCommand } from '../../../workflows/contracts/process.contract.ts';
import type { TaskQueue } from '../../registry/config.ts';
import type { Caller } from '../commands/context.ts';
import type { ProcessRef } from './process-ref.ts';
import type { ProcessStart } from './process-start.ts';
import type { WakeUp } from './outbox.ts';

/** How a command is sent: by whom, and as which command. */
export interface CommandOptions extends Pick<ProcessCommand<unknown>, 'request'> {
  caller: Caller;
  /** Two sendings of the same id are one command. */
  commandId: string;
  /** Id of the private input of the command, where it has any (`private-inputs.ts`). */
  privateInputId?: string | null;
}

/**
 * Why the workflow tasks of a process fail again and again. `workflow_version`: its history has a step that the installed release does not
 * know, as after a rollback. `workflow_error`: the workflow code throws.
 */
export type TaskFault = 'workflow_version' | 'workflow_error';

/** State of a process for administrators. */
export interface ProcessDescription {
  workflow_id: string;
  status: string;
  waiting_for: string | null;
  url: string | null;
  /** Why its workflow tasks fail, so that it accepts no message; null when they succeed. */
  taskFault: TaskFault | null;
  /** In real time; null while it runs. */
  endedAt: Date | null;
}

/** A process that ended without completing and was not restarted. */
export interface FailedProcess {
  process: ProcessRef;
  /** `failed`, `timed_out`, `terminated`, `cancelled`. */
  outcome: string;
  /** In real time. */
  endedAt: Date;
}

/**
 * Why a process starts. `new`: its record was created; a repeated message must not restart a completed process. `missing`: an active record
 * has no process. `replaced`: the running process is terminated first.
 */
export type StartReason = 'new' | 'missing' | 'replaced';

/** Port for processes: the domain does not know Temporal. */
export interface Processes {
  /**
   * Sends a command to a record's process, starts a missing process, and returns when the command is in effect. Routes use `sendCommand`,
   * which types name and arguments and stores private input.
   * @throws {DomainError} the command's refusal; process_unavailable when its workflow tasks fail; workflow_unavailable without an answer in
   *   time (safe to repeat with the same key), and at once after two failed checks in a row
   */
  command(ref: ProcessRef, name: string, args: unknown, options: CommandOptions): Promise<void>;
  /** Sends an update that is not a command, such as "reconsider". @throws {DomainError} workflow_unavailable */
  ask(ref: ProcessRef, question: string, requestId: string): Promise<void>;
  /** Wakes a process, or starts a missing one; restarts a timer. @throws when Temporal is unreachable */
  wake(wakeUp: Pick<WakeUp, 'process' | 'requestId'>): Promise<void>;
  /**
   * Starts the process of a record, unless it runs.
   * @returns whether it was started now
   * @throws when Temporal cannot be reached
   */
  start(ref: ProcessRef, start: ProcessStart, options: { requestId: string; why: StartReason }): Promise<boolean>;
  /**
   * Lists running processes that passed a change of their workflow and started before an instant, in pages.
   * @param patch name of the change in `workflows/patches.ts`
   */
  listPatched(patch: string, startedBefore: Date): AsyncIterable<ProcessRef[]>;
  /** Terminates running workflows of these types, and sweeps, that started before an instant. */
  terminateStartedBefore(instant: Date, workflowTypes: readonly string[]): Promise<void>;
  /**
   * Returns a process's state; null without one.
   * @throws {DomainError} workflow_unavailable
   */
  find(ref: ProcessRef): Promise<ProcessDescription | null>;
  /** The same for optional use: null also without Temporal. */
  describe(ref: ProcessRef): Promise<ProcessDescription | null>;
  /**
   * Lists processes that failed, timed out or were terminated and do not run again, the newest first. Reads the newest `most` of each
   * group: rebuilds terminate processes too.
   * @returns isWhole: whether all were read
   * @throws {DomainError} workflow_unavailable
   */
  listFailed(workflowTypes: readonly string[], most: number): Promise<{ failed: FailedProcess[]; isWhole: boolean }>;
  /** Returns the end of the last sweep without a failed step, in real time; null without one. @throws {DomainError} workflow_unavailable */
  lastSweep(): Promise<Date | null>;
  /** Returns the address of a process's newest run in the Temporal UI; null without a UI. */
  pageOf(ref: ProcessRef): string | null;
  /** Runs the sweeper without its rate limit and waits for its end. @returns processed records, by step */
  sweep(requestId: string): Promise<Record<string, number>>;
  /**
   * Checks that Temporal is reachable and has the namespace. After two failures in a row, commands are refused at once, until a check succeeds.
   * @throws with address and namespace
   */
  check(): Promise<void>;
  /** Checks that a worker polled a task queue within the last 90 seconds. @throws when none did, or when Temporal is unavailable */
  checkWorkers(queue: TaskQueue): Promise<void>;
  /** Disconnects. */
  close(): Promise<void>;
}
