// Baseline of 2026-11-21, frozen: see index.ts.
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';

/** As `src/platform/context.ts` had it. */
interface Caller {
  actor: { kind: 'process' };
  requestId: string;
  ip: string | null;
}

/** What every process of a record shares. Definitions only: clients, workers and workflows all import this file. */

/**
 * A command on its way to a process. `commandId` names it for good: the same id takes effect once, however often it is delivered. `args`
 * hold ids and small facts; what is private stays in the database under `privateInputId`, and the caller's address is encrypted.
 */
export interface ProcessCommand<Args> {
  commandId: string;
  caller: Caller;
  args: Args;
}

/** How a process stands after a step, as its record says. Computed by an activity, shown in the engine's UI. */
export interface ProcessView {
  /** The record's status in one word. */
  stage: string;
  waitingFor: 'owner' | 'administrator' | 'bank' | 'date' | 'nobody';
  /** One or two sentences for a support person; no private data. */
  details: string;
  /** Nothing is left to wait for: the workflow may complete. It is started again when something happens to the record. */
  isOver: boolean;
  /** Milliseconds until the process must look again by itself; null when only a message can move it. */
  wakeAfterMs: number | null;
}

/** Looks at the record again and does what has become due; answered when that is done. Sent by the sweeper. */
export const reconsiderUpdate = defineUpdate<void, [{ requestId: string }]>('reconsider');
/** Facts that this process depends on have changed. */
export const factsChangedSignal = defineSignal('facts-changed');

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
