import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { WorkflowQueue } from '../src/config.ts';
import type { UnrecordedCaller } from '../src/platform/context.ts';
import type { KeyedRequest } from '../src/platform/idempotent-request.ts';
import type { WaitingFor } from '../src/platform/process-start.ts';

/** Shared by every process of a record. Definitions only: clients, workers and workflows import this file. */

/** Start input of a record's workflow. */
export interface RecordInput {
  id: number;
  /** From the previous run: whether a wake-up is pending, and the last served request. */
  continued?: { isWoken: boolean; requestId: string | null };
}

/**
 * A command sent to a process. `commandId` is permanent: the same id takes effect once, however often it is delivered. `args` hold ids and
 * small facts; private input stays in the database under `privateInputId`, and the caller's address is encrypted.
 */
export interface ProcessCommand<Args> {
  commandId: string;
  /** Of a request with an `Idempotency-Key`, whose id is then `commandId`; absent in histories of earlier releases. */
  request?: KeyedRequest | null;
  caller: UnrecordedCaller;
  args: Args;
  privateInputId: string | null;
}

export type NoArgs = Record<string, never>;

/** A command of a process, with the arguments that it carries. `runs` says what carries it out: a step of the database, or an activity. */
export interface CommandContract<Args = unknown, Runs extends 'step' | 'activity' = 'step' | 'activity'> {
  runs: Runs;
  /** Only for the compiler: never set. */
  args?: (args: Args) => void;
}

/**
 * What a process of a record is called by. The client's updates, the workflow's handlers and the worker's activities follow from it. Its
 * names stand in stored histories.
 */
export interface ProcessContract {
  /** Names the process in its id (`application/12`), in queues of the sweeper, in the administrators' list. */
  kind: string;
  /** The workflow's type. */
  workflow: string;
  queue: WorkflowQueue;
  /** By the name of their update. */
  commands: Record<string, CommandContract<never>>;
  /** Long work that follows a step, such as making a file: the activity that does it, and the update that answers when it is done. */
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
  /** Nothing is left to wait for: the workflow may complete. It restarts when the record changes. */
  isOver: boolean;
  /** Something is due that this step has not done: an external query. */
  isDue: boolean;
  /** Time of the next own step, in milliseconds from now, and its reason; null when only a message can move the process. */
  timer: { afterMs: number; summary: string } | null;
}

/**
 * Reads the record again and does what is due; answered afterwards. Sent by the sweeper, and when an administrator makes a process retry.
 */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** Facts that this process depends on have changed; with the request whose command changed them. */
export const wakeSignal = defineSignal<[{ requestId: string }]>('facts-changed');

export const searchAttributes = {
  applicationId: defineSearchAttributeKey('ApplicationId', SearchAttributeType.KEYWORD),
  profileId: defineSearchAttributeKey('ProfileId', SearchAttributeType.KEYWORD),
  eventId: defineSearchAttributeKey('EventId', SearchAttributeType.KEYWORD),
  userId: defineSearchAttributeKey('UserId', SearchAttributeType.KEYWORD),
  requestId: defineSearchAttributeKey('RequestId', SearchAttributeType.KEYWORD),
  stage: defineSearchAttributeKey('Stage', SearchAttributeType.KEYWORD),
  waitingFor: defineSearchAttributeKey('WaitingFor', SearchAttributeType.KEYWORD),
};

/** Failure type of a message rejected while a process begins a new run; send it again. */
export const beginsNewRun = 'begins_new_run';
