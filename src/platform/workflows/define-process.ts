import type { SearchAttributePair, UpdateDefinition } from '@temporalio/common';
import type { z } from 'zod';
import type { ProcessCommand } from '../../../workflows/process.contract.ts';
import type { WorkflowQueue } from '../../config.ts';
import type { CommandContext } from '../context.ts';
import type { Database } from '../database/database.ts';
import { processRef, type ProcessRef } from '../process-ref.ts';
import type { WaitingFor } from '../process-start.ts';

/** How the process of a record stands, as the record says; words for a support person, no private data. */
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
  /** What a support person reads beside the id in the Temporal UI. */
  summary(id: string): string;
  /** Search attributes beside those that every process has. */
  attributes?(id: string): SearchAttributePair[];
}

/** The process of a record: it waits for people, the bank or a date, and takes its commands one after the other. */
export interface RecordProcess<Row extends { id: number } = { id: number }> extends Started {
  type: 'record';
  /** What the audit calls the record, where that is not the kind of the process. */
  subject?: string;
  /** The records with these ids as they stand, in one statement; those that are absent are left out. */
  read(db: Database, ids: readonly number[]): Promise<Row[]>;
  /** How the process of a record stands at an instant. Pure. */
  describe(row: Row, now: Date): ProcessState;
  /** Since when the record stands as it does, by what is recorded of it; for administrators. */
  since?(row: Row): Date;
  /** Does by itself what has become due, under the record's lock, and gives the record back; without one there is nothing of this kind. */
  reconsider?(ctx: CommandContext, id: number): Promise<Row>;
  /** Where the record keeps the instant of `describe(…).next`, so that an index finds what is due; without one it knows it by itself. Milliseconds. */
  dueAt?: { of(row: Row): Date | null; save(db: Database, id: number, at: Date | null, before: Date | null): Promise<void> };
  /** Records due by an instant, the earliest first, behind `after`. Lives from an index: with nothing due it reads nothing else. */
  due(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]>;
  /** Ids above `afterId` of records whose process must be running, or a round be on its way, ascending: for the rolling audit and the rebuild. */
  living(db: Database, afterId: number, limit: number): Promise<number[]>;
  /** The steps that somebody asks for, by the name of their update. */
  commands: readonly CommandHandler<Row>[];
  /** Long work that follows a step, such as making a file: the activity that does it, and the question that answers when it is done. */
  longWork?: { step: string; update: UpdateDefinition<void, [{ requestId: string }]> };
  /**
   * The workflow to which a relay of the outbox hands all records of this kind that it finds at once: it does what needs no process, and wakes the
   * processes of the others. Takes `{ids}`. Without one a relay wakes the process of each.
   */
  round?: { workflow: string; summary(count: number): string };
}

/** A timer that ends something after its time; a newer one replaces the older. */
export interface TimerProcess extends Started {
  type: 'timer';
  lifetimeMs: number;
  /** What happens at the end, in a transaction; twice is as good as once. */
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
