import { rm } from 'node:fs/promises';
import { refuseSheet } from '../spreadsheet/reading/refusal.ts';
import type { SheetReading } from '../spreadsheet/reading/sheet-content.ts';
import { FairTurns, type Turn } from '../turns/fair-turns.ts';
import { type InspectionParty, InspectionUse } from './inspection-use.ts';
import { type Inspection, type InspectionRequest, refuse } from './inspection.ts';
import { type ExamineOutcome, InspectorChild, type Slice } from './inspector-child.ts';

/** The inspector failed; says nothing about the file. */
export class InspectorUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InspectorUnavailableError';
  }
}

/** An owner or network has used its inspection time. */
export class InspectionBudgetError extends Error {
  /** Milliseconds until its next inspection. */
  readonly restMs: number;
  constructor(restMs: number) {
    super('the owner has used its inspection time');
    this.name = 'InspectionBudgetError';
    this.restMs = restMs;
  }
}

/** An owner has too many waiting files. */
export class TooManyWaitingError extends Error {
  /** Maximum waiting files of an owner. */
  readonly limit: number;
  constructor(limit: number) {
    super(`${limit} files of this owner already wait for inspection`);
    this.name = 'TooManyWaitingError';
    this.limit = limit;
  }
}

export type InspectorOptions = {
  /** time limit of one inspection, milliseconds */
  timeoutMs?: number;
  /** milliseconds after which a file is preempted while others wait; it is inspected again as long work */
  shortMs?: number;
  /** milliseconds of inspection of one owner in ten minutes; ten times as much for a network */
  budgetMs?: number;
  /** number of processes */
  concurrency?: number;
  /** maximum waiting files of one owner */
  maxWaitingOfOwner?: number;
  /** maximum waiting files of all owners */
  maxWaiting?: number;
};

/** The sender of a file, and their interest in it. */
type Work = InspectionParty & {
  /** aborts when the client disconnects: drops a waiting file and stops a running inspection */
  signal?: AbortSignal;
};
export type InspectionJob = InspectionRequest & Work;
/** `path`: the XLSX or CSV file. */
export type SheetJob = Work & { path: string };

/** Inspects uploads and reads tables in separate processes, so that the API never decodes hostile bytes. */
export interface Inspector {
  /**
   * Inspects the file at `path`. Writes an accepted image to `outPath`; otherwise leaves nothing there. Owners take turns, the one with the
   * least recent use first. With several processes, one owner or long work never occupies all.
   * @throws {InspectionBudgetError} when the owner or its network has used its time
   * @throws {TooManyWaitingError} when too many files of the owner wait
   * @throws {InspectorUnavailableError} when the machine fails
   * @throws the reason of `signal` when aborted
   */
  inspect(job: InspectionJob): Promise<Inspection>;
  /**
   * Reads the visible sheets of the XLSX or CSV file at `path`. Takes turns with inspections, and counts as one: same processes, time and
   * errors.
   */
  readSheet(job: SheetJob): Promise<SheetReading>;
  /** Stops the processes and refuses waiting files. */
  close(): Promise<void>;
}

/** Creates an inspector. Its processes start with the first file and do not keep the caller's process alive. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  const { timeoutMs = 20_000, shortMs = 1000, budgetMs = 60_000, concurrency = 2, maxWaitingOfOwner = 2, maxWaiting = 500 } = options;
  // Keep one process for the others.
  const maxPerOwner = Math.max(1, concurrency - 1);
  const turns = new FairTurns<string | number>(
    {
      atOnce: concurrency,
      atOnceEach: maxPerOwner,
      atOnceLong: maxPerOwner,
      waitingEach: maxPerOwner + maxWaitingOfOwner,
      waitingInAll: maxWaiting,
    },
    {
      tooMany: () => new TooManyWaitingError(maxWaitingOfOwner),
      full: () => new InspectorUnavailableError('too many files wait for inspection'),
    },
  );
  const children = Array.from({ length: concurrency }, () => new InspectorChild({ timeoutMs }));
  const busy = new Set<InspectorChild>();
  const use = new InspectionUse(budgetMs);
  /** Waiting and running files of each owner. */
  const active = new Map<string | number, number>();
  let closed = false;

  /** @returns null when the file was preempted */
  async function examine<Result>(work: Work, run: Run<Result>, turn: Turn, isLong: boolean): Promise<Result | null> {
    const child = children.find((candidate) => !busy.has(candidate));
    if (!child) throw new Error('more turns than processes');
    busy.add(child);
    const began = performance.now();
    try {
      return await run(child, isLong ? null : { ms: shortMs, mayContinue: () => turn.becomeLong() });
    } finally {
      use.charge(work, performance.now() - began);
      busy.delete(child);
    }
  }

  /**
   * Does short work first: a long one is preempted while others wait, and runs again as long work.
   * @returns null when it was preempted as long work too
   */
  async function examineInTurn<Result>(work: Work, run: Run<Result>): Promise<Result | null> {
    // At equal use, the owner with fewer files is first.
    const options = { signal: work.signal, rank: () => use.rank(work) + (active.get(work.owner) ?? 0) };
    return (
      (await turns.take(work.owner, (turn) => examine(work, run, turn, false), options)) ??
      (await turns.take(work.owner, (turn) => examine(work, run, turn, true), { ...options, isLong: true }))
    );
  }

  /** Admits a file of an owner who has time and few waiting files. */
  async function admit<Result>(work: Work, run: Run<Result>): Promise<Result | null> {
    if (closed) throw new InspectorUnavailableError('the inspector is closed');
    const restMs = use.waitOf(work);
    if (restMs > 0) throw new InspectionBudgetError(restMs);
    const others = active.get(work.owner) ?? 0;
    if (others >= maxPerOwner + maxWaitingOfOwner) throw new TooManyWaitingError(maxWaitingOfOwner);
    active.set(work.owner, others + 1);
    try {
      return await examineInTurn(work, run);
    } finally {
      const left = (active.get(work.owner) ?? 1) - 1;
      if (left > 0) active.set(work.owner, left);
      else active.delete(work.owner);
    }
  }

  return {
    async inspect(job) {
      return (await admit(job, (child, slice) => inspectWith(child, job, slice))) ?? refuse('inspection_timeout');
    },
    async readSheet(job) {
      return (await admit(job, (child, slice) => readSheetWith(child, job, slice))) ?? refuseSheet('time');
    },
    async close() {
      closed = true;
      turns.refuseWaiting(new InspectorUnavailableError('the inspector is closed'));
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

/** Has a process do the work on a file. Null when the file was preempted. */
type Run<Result> = (child: InspectorChild, slice: Slice | null) => Promise<Result | null>;

async function inspectWith(
  child: InspectorChild,
  { path, outPath, measuresTransparency = false, signal }: InspectionJob,
  slice: Slice | null,
): Promise<Inspection | null> {
  return settle(signal, async () => {
    const outcome = await child.examine({ task: 'inspect', path, outPath, measuresTransparency }, slice, signal);
    if (outcome.kind === 'done' && outcome.result.ok) return outcome.result;
    await rm(outPath, { force: true });
    return resultOf(outcome, signal, {
      ofTimeout: () => refuse('inspection_timeout'),
      ofCrash: (type) => refuse(type === 'application/pdf' ? 'pdf_unreadable' : 'image_unreadable'),
    });
  });
}

async function readSheetWith(child: InspectorChild, { path, signal }: SheetJob, slice: Slice | null): Promise<SheetReading | null> {
  return settle(signal, async () => {
    const outcome = await child.examine({ task: 'read_sheet', path }, slice, signal);
    return resultOf(outcome, signal, { ofTimeout: () => refuseSheet('time'), ofCrash: () => refuseSheet('unreadable') });
  });
}

/** @returns null when the file was preempted */
function resultOf<Result>(
  outcome: ExamineOutcome<Result>,
  signal: AbortSignal | undefined,
  refusals: { ofTimeout: () => Result; ofCrash: (type: string) => Result },
): Result | null {
  signal?.throwIfAborted();
  if (outcome.kind === 'done') return outcome.result;
  if (outcome.kind === 'preempted') return null;
  if (outcome.kind === 'timeout') return refusals.ofTimeout();
  // No valid file crashes the decoder.
  if (outcome.kind === 'crashed' && outcome.type) return refusals.ofCrash(outcome.type);
  throw new InspectorUnavailableError(outcome.kind === 'failed' ? outcome.reason : 'the inspector process was killed');
}

/** Reports every failure as one of the machine, but for the reason of `signal`. */
async function settle<Result>(signal: AbortSignal | undefined, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InspectorUnavailableError || signal?.aborted) throw error;
    throw new InspectorUnavailableError('the file could not be inspected', { cause: error });
  }
}
