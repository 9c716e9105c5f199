import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { WorkflowQueue } from '../../src/registry/config.ts';
import type { UnrecordedCaller } from '../../src/platform/commands/context.ts';
import type { KeyedRequest } from '../../src/platform/commands/idempotent-request.ts';
import type { WaitingFor } from '../../src/platform/workflows/process-start.ts';

/** Shared by every process of a record. Definitions only: clients, workers and workflows import this file. */

/** Start input of a record's workflow. */
export interface RecordInput {
  id: number;
  /** From the previous run: whether a wake-up is pending, and the last served request. */
  continued?: { isWoken: boolean; requestId: string | null };
}

/**
 * A command sent to a process. A `commandId` takes effect once, however often it is delivered. `args` contain ids and small facts. Private
 * input stays in the database under `privateInputId`; the caller's address is encrypted.
 */
export interface ProcessCommand<Args> {
  commandId: string;
  /** Of a request with an `Idempotency-Key`, whose id is then `commandId`; absent without a key. */
  request?: KeyedRequest | null;
  caller: UnrecordedCaller;
  args: Args;
  privateInputId: string | null;
}

export type NoArgs = Record<string, never>;

/** A command of a process with its arguments. `runs`: as a step of the database, or as an activity. */
export interface CommandContract<Args = unknown, Runs extends 'step' | 'activity' = 'step' | 'activity'> {
  runs: Runs;
  /** Only for the compiler: never set. */
  args?: (args: Args) => void;
}

/**
 * The names of a record's process. The client's updates, the workflow's handlers and the worker's activities follow from them. Stored
 * histories contain them.
 */
export interface ProcessContract {
  /** Prefix of the process id (`application/12`); also used by the sweeper and the administrators' list. */
  kind: string;
  /** The workflow's type. */
  workflow: string;
  queue: WorkflowQueue;
  /** Commands by the name of their update. */
  commands: Record<string, CommandContract<never>>;
  /** Long work after a step, such as generating a file: its activity, and the update that waits for it. */
  longWork?: { activity: string; question: string };
}

/** Declares a process; goes into `workflows/<kind>.contract.ts`. */
export function defineContract<const Contract extends ProcessContract>(contract: Contract): Contract {
  return contract;
}

/** A command that runs as a step of the database: `src/areas/<area>/process.ts` names the function. */
export function command<Args = NoArgs>(): CommandContract<NoInfer<Args>, 'step'> {
  return { runs: 'step' };
}

/** A command that leaves the database: the workflow says how it runs. */
export function activityCommand<Args = NoArgs>(): CommandContract<NoInfer<Args>, 'activity'> {
  return { runs: 'activity' };
}

type CommandsOf<Contract extends ProcessContract> = Contract['commands'];
export type CommandName<Contract extends ProcessContract> = keyof CommandsOf<Contract> & string;
/** Names of the commands that run as steps, or that run as activities. */
export type NameOf<Contract extends ProcessContract, Runs extends 'step' | 'activity'> = {
  [Name in CommandName<Contract>]: CommandsOf<Contract>[Name]['runs'] extends Runs ? Name : never;
}[CommandName<Contract>];
export type ArgsOf<Contract extends ProcessContract, Name extends CommandName<Contract>> =
  CommandsOf<Contract>[Name] extends CommandContract<infer Args> ? Args : never;

/** State of a process after a step, computed from its record by an activity and shown in the Temporal UI. */
export interface ProcessView {
  /** The record's status in one word. */
  stage: string;
  waitingFor: WaitingFor;
  /** One or two sentences for support staff; no private data. */
  details: string;
  /** The process waits for nothing, so the workflow may complete. It restarts when the record changes. */
  isOver: boolean;
  /** Due work that this step has not done: an external query. */
  isDue: boolean;
  /** Time of the next own step, in milliseconds from now, and its reason; null when only a message can advance the process. */
  timer: { afterMs: number; summary: string } | null;
}

/** Reads the record again, runs due work, then answers. The sweeper sends it, and administrators who retry a process. */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** Facts of the process have changed; names the request of the command. */
export const wakeSignal = defineSignal<[{ requestId: string }]>('facts-changed');

export const searchAttributes = {
  applicationId: defineSearchAttributeKey('ApplicationId', SearchAttributeType.KEYWORD),
  profileId: defineSearchAttributeKey('ProfileId', SearchAttributeType.KEYWORD),
  eventId: defineSearchAttributeKey('EventId', SearchAttributeType.KEYWORD),
  userId: defineSearchAttributeKey('UserId', SearchAttributeType.KEYWORD),
  requestId: defineSearchAttributeKey('RequestId', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('Stage', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
  /** Time of the next own step; absent when only a message can advance the process. */
  dueAt: defineSearchAttributeKey('DueAt', SearchAttributeType.DATETIME),
};

/** Summary of the timer after which a process retries its failed step. */
export const retryTimer = 'retry';

/** Failure type of a message that is rejected before a new run; send it again. */
export const beginsNewRun = 'begins_new_run';
