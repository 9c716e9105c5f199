import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { UnrecordedCaller } from '../src/platform/context.ts';
import type { WaitingFor } from '../src/platform/process-start.ts';

/** What every process of a record shares. Definitions only: clients, workers and workflows all import this file. */

/** What the workflow of a record is started with. */
export interface RecordInput {
  id: number;
  /** Of the run before this one: whether something woke it that it did not come to, and the request that it served last. */
  continued?: { isWoken: boolean; requestId: string | null };
}

/**
 * A command on its way to a process. `commandId` names it for good: the same id takes effect once, however often it is
 * delivered. `args` hold ids and small facts; what is private stays in the database under `privateInputId`, and the caller's
 * address is encrypted.
 */
export interface ProcessCommand<Args> {
  commandId: string;
  caller: UnrecordedCaller;
  args: Args;
  privateInputId: string | null;
}

export type NoArgs = Record<string, never>;

/** How a process stands after a step, as its record says. Computed by an activity, shown in the Temporal UI. */
export interface ProcessView {
  /** The record's status in one word. */
  stage: string;
  waitingFor: WaitingFor;
  /** One or two sentences for a support person; no private data. */
  details: string;
  /** Nothing is left to wait for: the workflow may complete. It is started again when something happens to the record. */
  isOver: boolean;
  /** Something is due that this step has not done: a question to the world outside. */
  isDue: boolean;
  /** When the process looks again by itself, in milliseconds from now, and why; null when only a message can move it. */
  timer: { afterMs: number; summary: string } | null;
}

/** Looks at the record again and does what has become due; answered when that is done. Sent by the sweeper, and where an administrator has a process try again. */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** Facts that this process depends on have changed; of the request whose command changed them. */
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

/** Type of the failure by which a process turns a message away while it begins a new run; send it again. */
export const beginsNewRun = 'begins_new_run';
