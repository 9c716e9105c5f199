import type { SearchAttributePair } from '@temporalio/common';
import type { z } from 'zod';
import type { ArgsOf, NameOf, ProcessContract } from '../../../workflows/process.contract.ts';
import type { WorkflowQueue } from '../../config.ts';
import type { CommandContext } from '../context.ts';
import type { Database } from '../database/database.ts';
import { definePoint } from '../extensions.ts';
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

/** Returns the party that a record waits for; null for none. */
export function partyOf({ waitingFor }: Pick<ProcessState, 'waitingFor'>) {
  return waitingFor === 'none' ? null : waitingFor;
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

/** Work on the records of a kind as administrators list it, whatever carries it out. */
export interface ListedWork<Row extends { id: number } = { id: number }> {
  kind: string;
  /** Name of the record in the audit, if not the kind. */
  subject?: string;
  /** The records with these ids as they stand, in one statement; those that are absent are left out. */
  read(db: Database, ids: readonly number[]): Promise<Row[]>;
  /** Describes the work on the record at an instant. Pure. */
  describe(row: Row, now: Date): ProcessState;
  /** Returns since when the record is in its state; for administrators. */
  since?(row: Row): Date;
  /** Column that stores `next` for the sweeper's index. Omit it if the record's own date serves. Milliseconds. */
  dueAt?: { of(row: Row): Date | null; save(db: Database, id: number, at: Date | null, before: Date | null): Promise<void> };
  /** Records due by an instant, the earliest first, behind `after`. Lives from an index: with nothing due it reads nothing else. */
  due(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]>;
  /** Ids above `afterId` of records whose work is not over, ascending. */
  living(db: Database, afterId: number, limit: number): Promise<number[]>;
}

/** Work that a loop of the worker does from rows, without a workflow. Administrators list it beside the processes. */
export interface QueuedWork<Row extends { id: number } = { id: number }> extends ListedWork<Row> {
  type: 'queue';
  /** Number of records whose work is not over. */
  count(db: Database): Promise<number>;
  /** Makes all work on a record due now, for an administrator. */
  retry(ctx: CommandContext, id: number): Promise<void>;
}

export const queuedWork = definePoint<QueuedWork>('work that a loop does from rows');

/** The process of a record: it waits for people, the bank or a date, and takes its commands one after the other. */
export interface RecordProcess<Row extends { id: number } = { id: number }, Contract extends ProcessContract = ProcessContract>
  extends Started, ListedWork<Row> {
  type: 'record';
  contract: Contract;
  /** Does what is due, under the record's lock, and returns the record. Omit it if nothing becomes due by itself. */
  reconsider?(ctx: CommandContext, id: number): Promise<Row>;
  /** Steps on request. */
  commands: readonly CommandHandler<Row>[];
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

/** Carries out a command. Takes its arguments, and the private words of the request where it has any, and returns the record. */
type RunCommand<Row, Args> = (ctx: CommandContext, id: number, input: Args) => Promise<Row>;

/** A command with private words. */
interface WithWords<Row, Args> {
  words: z.ZodType;
  run: RunCommand<Row, Args>;
}

/** What carries out each command of a contract that runs as a step. */
type CommandSteps<Row, Contract extends ProcessContract> = {
  [Name in NameOf<Contract, 'step'>]: RunCommand<Row, ArgsOf<Contract, Name>> | WithWords<Row, ArgsOf<Contract, Name>>;
};

type Described<Row extends { id: number }, Contract extends ProcessContract> = Omit<
  RecordProcess<Row, Contract>,
  'type' | 'contract' | 'kind' | 'workflow' | 'queue' | 'commands'
> & { commands: CommandSteps<Row, Contract> };

/** Declares the process of a record by its contract; goes into the area's `process.ts`, and from there into its `index.ts`. */
export function defineProcess<Row extends { id: number }, const Contract extends ProcessContract>(
  contract: Contract,
  { commands, ...described }: Described<Row, Contract>,
): RecordProcess<Row, Contract> {
  const { kind, workflow, queue } = contract;
  const steps = Object.entries<RunCommand<Row, never> | WithWords<Row, never>>(commands);
  return {
    type: 'record',
    contract,
    kind,
    workflow,
    queue,
    ...described,
    commands: steps.map(([name, step]) => {
      const { run, words } = typeof step === 'function' ? { run: step, words: null } : step;
      // The worker takes the arguments from the contract's own type and the words from their schema.
      return { name, words, run: (ctx, id, input) => run(ctx, id, input as never) };
    }),
  };
}

/**
 * Adds the private words of the request to a command: they travel past Temporal.
 * @param words their shape; absent ones are null
 */
export function withWords<Row, Args, Words>(
  run: (ctx: CommandContext, id: number, input: Args & Words) => Promise<Row>,
  words: z.ZodType<Words>,
): WithWords<Row, Args> {
  return { words, run: (ctx, id, input) => run(ctx, id, input as Args & Words) };
}

export function defineTimer(timer: Omit<TimerProcess, 'type'>): TimerProcess {
  return { type: 'timer', ...timer };
}

/** The id of the process of a record. */
export function refOf(definition: Pick<Started, 'kind'>, id: number | string): ProcessRef {
  return processRef(definition.kind, id);
}
