import type { SearchAttributePair } from '@temporalio/common';
import type { z } from 'zod';
import type { ArgsOf, NameOf, ProcessContract } from '../../../workflows/contracts/process.contract.ts';
import type { WorkflowQueue } from '../../registry/config.ts';
import type { CommandContext } from '../commands/context.ts';
import type { Database } from '../database/database.ts';
import { definePoint } from '../extensions.ts';
import { processRef, type ProcessRef } from './process-ref.ts';
import type { WaitingFor } from './process-start.ts';

/** State of a record's process, derived from the record; words for support staff, no private data. */
export interface ProcessState {
  /** The record's status in one word. */
  stage: string;
  /** Without `support`, which follows from a failing step, not from the record. */
  waitingFor: Exclude<WaitingFor, 'support'>;
  /** One or two sentences, shown in the Temporal UI. */
  details: string;
  /** The process waits for nothing, so the workflow may complete. A later message starts it again. */
  isOver: boolean;
  /** An own step of the process is due. */
  isDue: boolean;
  /** Time of the next own step; null when only a message can advance it. */
  next: NextLook | null;
}

/** Returns the party that a record waits for; null for none. */
export function partyOf({ waitingFor }: Pick<ProcessState, 'waitingFor'>) {
  return waitingFor === 'none' ? null : waitingFor;
}

export interface NextLook {
  /** By the domain's clock. */
  at: Date;
  /** Reason, shown as the timer's summary in the Temporal UI: "year ends", "document 3 expires". */
  why: string;
  /** Delay of this record's timer, milliseconds, when many timers end at the same instant. */
  spreadMs?: number;
}

/** A due record and its due date; the next page starts after it. */
export interface DueRecord {
  id: number;
  at: Date;
}

interface Started {
  /** Prefix of the process id (`application/12`); also used by the sweeper and the administrators' list. */
  kind: string;
  /** The workflow's type. */
  workflow: string;
  queue: WorkflowQueue;
  /** Summary in the Temporal UI. */
  summary(id: string): string;
  /** Search attributes in addition to the common ones. */
  attributes?(id: string): SearchAttributePair[];
}

/** Work on the records of a kind as administrators list it, whatever carries it out. */
export interface ListedWork<Row extends { id: number } = { id: number }> {
  kind: string;
  /** Name of the record in the audit, if not the kind. */
  subject?: string;
  /** Reads the existing records with these ids, in one statement. */
  read(db: Database, ids: readonly number[]): Promise<Row[]>;
  /** Describes the work on the record at an instant. Pure. */
  describe(row: Row, now: Date): ProcessState;
  /** Returns when the record entered its state, for administrators. */
  since?(row: Row): Date;
  /** Column that stores `next` for the sweeper's index. Omit it if the record's own date serves. Milliseconds. */
  dueAt?: { of(row: Row): Date | null; save(db: Database, id: number, at: Date | null, before: Date | null): Promise<void> };
  /** Lists records due by an instant, the earliest first, after `after`. Needs an index. */
  listDue(db: Database, now: Date, after: DueRecord | null, limit: number): Promise<DueRecord[]>;
  /** Lists ids above `afterId` of living records, whose work is not over, ascending. Needs an index. */
  listLiving(db: Database, afterId: number, limit: number): Promise<number[]>;
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

/** A timer that ends a secret after its lifetime; a newer timer replaces an older one. */
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
  /** Schema of the command's private input, which bypasses Temporal (`private-inputs.ts`). */
  privateInput: z.ZodType | null;
  run(ctx: CommandContext, id: number, input: unknown): Promise<Row>;
}

/** Runs a command with its arguments and private input, and returns the record. */
type RunCommand<Row, Args> = (ctx: CommandContext, id: number, input: Args) => Promise<Row>;

/** A command with private input. */
interface WithPrivateInput<Row, Args> {
  privateInput: z.ZodType;
  run: RunCommand<Row, Args>;
}

/** The function of each command that runs as a step. */
type CommandSteps<Row, Contract extends ProcessContract> = {
  [Name in NameOf<Contract, 'step'>]: RunCommand<Row, ArgsOf<Contract, Name>> | WithPrivateInput<Row, ArgsOf<Contract, Name>>;
};

type Described<Row extends { id: number }, Contract extends ProcessContract> = Omit<
  RecordProcess<Row, Contract>,
  'type' | 'contract' | 'kind' | 'workflow' | 'queue' | 'commands'
> & { commands: CommandSteps<Row, Contract> };

/** Declares the process of a record by its contract, in the record's `process.ts`. The area's `index.ts` lists it. */
export function defineProcess<Row extends { id: number }, const Contract extends ProcessContract>(
  contract: Contract,
  { commands, ...described }: Described<Row, Contract>,
): RecordProcess<Row, Contract> {
  const { kind, workflow, queue } = contract;
  const steps = Object.entries<RunCommand<Row, never> | WithPrivateInput<Row, never>>(commands);
  return {
    type: 'record',
    contract,
    kind,
    workflow,
    queue,
    ...described,
    commands: steps.map(([name, step]) => {
      const { run, privateInput } = typeof step === 'function' ? { run: step, privateInput: null } : step;
      // The contract types the arguments, and the schema the private input.
      return { name, privateInput, run: (ctx, id, input) => run(ctx, id, input as never) };
    }),
  };
}

/** Adds private input (a note, a reason) to a command; it bypasses Temporal. @param privateInput its schema; absent values are null */
export function withPrivateInput<Row, Args, Private>(
  run: (ctx: CommandContext, id: number, input: Args & Private) => Promise<Row>,
  privateInput: z.ZodType<Private>,
): WithPrivateInput<Row, Args> {
  return { privateInput, run: (ctx, id, input) => run(ctx, id, input as Args & Private) };
}

/** Declares a timer, in the area's `process.ts`. All timers run one workflow, `oneTimeSecret`. */
export function defineTimer(timer: Omit<TimerProcess, 'type' | 'workflow' | 'queue'>): TimerProcess {
  return { type: 'timer', workflow: 'oneTimeSecret', queue: 'registry', ...timer };
}

/** Returns the id of a record's process. */
export function refOf(definition: Pick<Started, 'kind'>, id: number | string): ProcessRef {
  return processRef(definition.kind, id);
}
