import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { defineSignal, defineUpdate } from '@temporalio/workflow';
import type { UnrecordedCaller } from '../src/platform/context.ts';
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
  caller: UnrecordedCaller;
  args: Args;
  privateInputId: string | null;
}

export type NoArgs = Record<string, never>;

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
