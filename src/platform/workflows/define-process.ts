import type { SearchAttributePair, UpdateDefinition } from '@temporalio/common';
import type { z } from 'zod';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { WorkflowQueue } from '../../config.ts';
import type { CommandContext } from '../context.ts';
import type { Database } from '../database/database.ts';
import { processRef, type ProcessRef } from '../process-ref.ts';
import type { WaitingFor } from '../process-start.ts';

/** State of a record's process, derived from the record; words for support staff, no private data. */
export interface ProcessState {
  /** The record's status in one word. */
  stage: string;
  /** That a process waits for support no record says: it shows itself when a step fails. */
  waitingFor: Exclude<WaitingFor, 'support'>;
  /** One or two sentences, shown in the Temporal UI. */
  details: string;
  /** Nothing is left to wait for: the workflow may complete. It is started again when something happens to the record. */
  isOver: boolean;
  /** Something has become due that the process does by itself. */
  isDue: boolean;
  /** When the process must look again by itself; null when only a message can move it. */
  next: NextLook | null;
}

export interface NextLook {
  /** By the domain's clock. */
  at: Date;
  /** Why, as the timer in the Temporal UI says it: "year ends", "document 3 expires". */
  why: string;
  /** Timers of many records that end at the same instant are spread over so many milliseconds after it. */
  spreadMs?: number;
}

/** A record that has become due, and since when: the next page begins behind it. */
export interface DueRecord {
  id: number;
  at: Date;
}

interface Started {
  /** Names the process in its id (`application/12`), in queues of the sweeper, in the administrators' list. */
  kind: string;
  /** The workflow's type. */
  workflow: string;
  queue: WorkflowQueue;
  /** Text beside the id in the Temporal UI. */
  summary(id: string): string;
  /** Search attributes beside those that every process has. */
  attributes?(id: string): SearchAttributePair[];
}

/** The process of a record: it waits for people, the bank or a date, and takes its commands one after the other. */
export interface RecordProcess<Row extends { id: number } = { id: number }> extends Started {
  type: 'record';
  /** Name of the record in the audit, if not the process kind. */
  subject?: string;
  /** The records with these ids as they stand, in one statement; those that are absent are left out. */
  read(db: Database, ids: readonly number[]): Promise<Row[]>;
  /** Describes the record's process at an instant. Pure. */
  describe(row: Row, now: Date): ProcessState;
  /** Returns since when the record is in its state; for administrators. */
  since?(row: Row): Date;
  /** Does what is due, under the record's lock, and returns the record. Omit it if nothing becomes due by itself. */
  reconsider?(ctx: CommandContext, id: number): Promise<Row>;
  /** Column that stores `next` for the sweeper's index. Omit it if the record's own date serves. Milliseconds. */
  dueAt?: { of(row: Row): Date | null; save(db: Database, id: number, at: Date | null, before: Date | null): Promise<void> };
  /** Records due by an instant, the earliest first, behind `after`. Lives from an index: with nothing due it reads nothing else. */
  due(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]>;
  /** Ids above `afterId` of records whose process must be running, or a round be on its way, ascending: for the rolling audit and the rebuild. */
  living(db: Database, afterId: number, limit: number): Promise<number[]>;
  /** Steps on request, by the name of their update. */
  commands: readonly CommandHandler<Row>[];
  /** Long work that follows a step, such as making a file: the activity that does it, and the question that answers when it is done. */
  longWork?: { step: string; update: UpdateDefinition<void, [{ requestId: string }]> };
  /**
   * Workflow to which an outbox relay passes all waiting records of this kind: does what needs no process, and wakes the processes of the
   * rest. Takes
   * `{ids}`. Without one a relay wakes each process.
   */
  round?: { workflow: string; summary(count: number): string };
}

/** A timer that ends something after its time; a newer one replaces the older. */
export interface TimerProcess extends Started {
  type: 'timer';
  lifetimeMs: number;
  /** Ends the secret, in a transaction. Idempotent. */
  expire(ctx: CommandContext, holder: string): Promise<unknown>;
}

export type ProcessDefinition = RecordProcess | TimerProcess;

export interface CommandHandler<Row extends { id: number } = { id: number }> {
  /** Name of the update. */
  name: string;
  /** Of the private part of the command, which travels past Temporal (`private-inputs.ts`). */
  words: z.ZodType | null;
  run(ctx: CommandContext, id: number, input: unknown): Promise<Row>;
}

/** Declares the process of a record; goes into the area's `process.ts`, and from there into its `area.ts`. */
export function defineProcess<Row extends { id: number }>(definition: Omit<RecordProcess<Row>, 'type'>): RecordProcess<Row> {
  return { type: 'record', ...definition };
}

export function defineTimer(timer: Omit<TimerProcess, 'type'>): TimerProcess {
  return { type: 'timer', ...timer };
}

/**
 * Binds an update to the command that carries it out. The command takes the update's arguments, and the private words of the
 * request where it has any, and gives its record back.
 * @param words shape of the private words; absent ones are null
 */
export function on<Row extends { id: number }, Args, Words = unknown>(
  update: UpdateDefinition<void, [ProcessCommand<Args>]>,
  run: (ctx: CommandContext, id: number, input: Args & Words) => Promise<Row>,
  words: z.ZodType<Words> | null = null,
): CommandHandler<Row> {
  // The worker takes the arguments from the update's own type and the words from their schema.
  return { name: update.name, words, run: (ctx, id, input) => run(ctx, id, input as Args & Words) };
}

/** The id of the process of a record. */
export function refOf(definition: Pick<Started, 'kind'>, id: number | string): ProcessRef {
  return processRef(definition.kind, id);
}
