import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { TaskQueue } from '../../config.ts';
import type { Caller } from '../context.ts';
import type { ProcessRef } from '../process-ref.ts';
import type { ProcessStart } from '../process-start.ts';
import type { WakeUp } from './outbox.ts';

/** How a command is sent: by whom, and as which command. */
export interface CommandOptions extends Pick<ProcessCommand<unknown>, 'request'> {
  caller: Caller;
  /** Two sendings of the same id are one command. */
  commandId: string;
  /** Id of the private words of the command, where it has any (`private-inputs.ts`). */
  privateInputId?: string | null;
}

/** State of a process for administrators. */
export interface ProcessDescription {
  workflow_id: string;
  status: string;
  waiting_for: string | null;
  url: string | null;
  /** Its turns fail again and again, so that it takes no message: a fault of the workflow itself. */
  isFailing: boolean;
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
 * Why a process starts. `new`: its record was created; a late or repeated message must not restart a completed process. `missing`: an
 * active record has none. `replaced`: the running one is terminated first.
 */
export type StartReason = 'new' | 'missing' | 'replaced';

/** The processes as a port for the API: the domain does not know Temporal. */
export interface Processes {
  /**
   * Sends a command to a record's process, starting the process if it is missing, and returns when the command is in effect. Routes use
   * `sendCommand`, which checks name and arguments against the contract and keeps the private words of the request out of it.
   * @throws {DomainError} the command's own refusal; workflow_unavailable when no answer came in time (safe to repeat with the same key),
   *   and at once after failed checks
   */
  command(ref: ProcessRef, name: string, args: unknown, options: CommandOptions): Promise<void>;
  /** Sends an update without arguments that is no command, such as "reconsider". @throws {DomainError} workflow_unavailable */
  ask(ref: ProcessRef, question: string, requestId: string): Promise<void>;
  /** Wakes a process, or starts the one that is missing; a timer begins anew. @throws when Temporal cannot be reached */
  wake(wakeUp: Pick<WakeUp, 'process' | 'requestId'>): Promise<void>;
  /**
   * Starts the process of a record, unless it runs.
   * @returns whether it was started now
   * @throws when Temporal cannot be reached
   */
  start(ref: ProcessRef, start: ProcessStart, options: { requestId: string; why: StartReason }): Promise<boolean>;
  /** Ends every running workflow of these types, and sweeps, that began before an instant: of a shape that cannot go on. */
  endStartedBefore(instant: Date, workflowTypes: readonly string[]): Promise<void>;
  /**
   * Returns a process's state; null without one.
   * @throws {DomainError} workflow_unavailable
   */
  find(ref: ProcessRef): Promise<ProcessDescription | null>;
  /** The same for optional use: null also when Temporal is away. */
  describe(ref: ProcessRef): Promise<ProcessDescription | null>;
  /**
   * Processes of these workflow types that failed, timed out or were ended by force, the last first, and that do not run again. Of each way
   * to end the newest are looked at, `most` of them: processes that were replaced by a rebuild ended by force too.
   * @returns isWhole: there were no more to look at
   * @throws {DomainError} workflow_unavailable
   */
  listFailed(workflowTypes: readonly string[], most: number): Promise<{ failed: FailedProcess[]; isWhole: boolean }>;
  /** The page of a process in the Temporal UI, which opens its newest run; null where there is no UI. */
  pageOf(ref: ProcessRef): string | null;
  /** Runs the sweeper without its pace and waits until it is done. @returns records driven, by step */
  sweep(requestId: string): Promise<Record<string, number>>;
  /**
   * Checks that Temporal can be reached and has the namespace. After two failures in a row, commands are refused at once, until a check succeeds.
   * @throws with address and namespace
   */
  check(): Promise<void>;
  /** Checks that a worker polled a task queue within the last 90 seconds. @throws when none did, or when Temporal is away */
  checkWorkers(queue: TaskQueue): Promise<void>;
  /** Disconnects. */
  close(): Promise<void>;
}
