import { rm } from 'node:fs/promises';
import { FairTurns, type Turn } from '../turns/fair-turns.ts';
import { type InspectionParty, InspectionUse } from './inspection-use.ts';
import { type Inspection, type InspectionRequest, refuse } from './inspection.ts';
import { InspectorChild, type Slice } from './inspector-child.ts';

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

export type InspectionJob = InspectionRequest &
  InspectionParty & {
    /** aborts when the client disconnects: drops a waiting file and stops a running inspection */
    signal?: AbortSignal;
  };

/** Inspects uploads in separate processes, so that the API never decodes hostile bytes. */
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
  /** Waiting and running inspections of each owner. */
  const active = new Map<string | number, number>();
  let closed = false;

  /** @returns null when the file was preempted */
  async function examine(job: InspectionJob, turn: Turn, isLong: boolean): Promise<Inspection | null> {
    const child = children.find((candidate) => !busy.has(candidate));
    if (!child) throw new Error('more turns than processes');
    busy.add(child);
    const began = performance.now();
    try {
      return await run(child, job, isLong ? null : { ms: shortMs, mayContinue: () => turn.becomeLong() });
    } finally {
      use.charge(job, performance.now() - began);
      busy.delete(child);
    }
  }

  /** Inspects short work first: a long inspection is preempted while others wait, and runs again as long work. */
  async function inspectInTurn(job: InspectionJob): Promise<Inspection> {
    // At equal use, the owner with fewer files is first.
    const options = { signal: job.signal, rank: () => use.rank(job) + (active.get(job.owner) ?? 0) };
    return (
      (await turns.take(job.owner, (turn) => examine(job, turn, false), options)) ??
      (await turns.take(job.owner, (turn) => examine(job, turn, true), { ...options, isLong: true })) ??
      refuse('inspection_timeout')
    );
  }

  return {
    async inspect(job) {
      if (closed) throw new InspectorUnavailableError('the inspector is closed');
      const restMs = use.waitOf(job);
      if (restMs > 0) throw new InspectionBudgetError(restMs);
      const others = active.get(job.owner) ?? 0;
      if (others >= maxPerOwner + maxWaitingOfOwner) throw new TooManyWaitingError(maxWaitingOfOwner);
      active.set(job.owner, others + 1);
      try {
        return await inspectInTurn(job);
      } finally {
        const left = (active.get(job.owner) ?? 1) - 1;
        if (left > 0) active.set(job.owner, left);
        else active.delete(job.owner);
      }
    },
    async close() {
      closed = true;
      turns.refuseWaiting(new InspectorUnavailableError('the inspector is closed'));
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

async function run(
  child: InspectorChild,
  { path, outPath, measuresTransparency = false, signal }: InspectionJob,
  slice: Slice | null,
): Promise<Inspection | null> {
  try {
    const outcome = await child.examine({ path, outPath, measuresTransparency }, slice, signal);
    if (outcome.kind === 'done' && outcome.inspection.ok) return outcome.inspection;
    await rm(outPath, { force: true });
    signal?.throwIfAborted();
    if (outcome.kind === 'done') return outcome.inspection;
    if (outcome.kind === 'preempted') return null;
    if (outcome.kind === 'timeout') return refuse('inspection_timeout');
    // No valid file crashes the decoder.
    if (outcome.kind === 'crashed' && outcome.type)
      return refuse(outcome.type === 'application/pdf' ? 'pdf_unreadable' : 'image_unreadable');
    throw new InspectorUnavailableError(outcome.kind === 'failed' ? outcome.reason : 'the inspector process was killed');
  } catch (error) {
    if (error instanceof InspectorUnavailableError || signal?.aborted) throw error;
    throw new InspectorUnavailableError('the file could not be inspected', { cause: error });
  }
}
