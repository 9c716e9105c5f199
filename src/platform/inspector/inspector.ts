import { rm } from 'node:fs/promises';
import { FairTurns, type Turn } from '../turns/fair-turns.ts';
import { type InspectionParty, InspectionUse } from './inspection-use.ts';
import { type Inspection, type InspectionRequest, refuse } from './inspection.ts';
import { InspectorChild, type Slice } from './inspector-child.ts';

/** The file could not be examined, through no fault of its own. */
export class InspectorUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'InspectorUnavailableError';
  }
}

/** One owner or network has used all the time of the inspector that it may. */
export class InspectionBudgetError extends Error {
  /** Until files are examined for it again, milliseconds. */
  readonly restMs: number;
  constructor(restMs: number) {
    super('the inspection time of this owner is used up');
    this.name = 'InspectionBudgetError';
    this.restMs = restMs;
  }
}

/** One owner has sent more at a time than may wait. */
export class TooManyWaitingError extends Error {
  /** Files of the owner that wait. */
  readonly limit: number;
  constructor(limit: number) {
    super(`${limit} files of this owner are waiting to be examined`);
    this.name = 'TooManyWaitingError';
    this.limit = limit;
  }
}

export type InspectorOptions = {
  /** milliseconds one file may take from the moment a process begins with it */
  timeoutMs?: number;
  /** milliseconds after which a file that others wait behind is set aside, and examined anew as long work */
  shortMs?: number;
  /** milliseconds of examination that one owner may use in ten minutes; all owners of a network ten times as much */
  budgetMs?: number;
  /** processes, and so files examined at a time */
  concurrency?: number;
  /** files of one owner that may wait; more are turned away */
  maxWaitingOfOwner?: number;
  /** files that may wait altogether; more are turned away */
  maxWaiting?: number;
};

export type InspectionJob = InspectionRequest &
  InspectionParty & {
    /** aborted when the client has gone: a file that waits is dropped, one under examination is given up */
    signal?: AbortSignal;
  };

/** Examines uploads in processes of their own: hostile bytes are never decoded in the one that serves requests. */
export interface Inspector {
  /**
   * What the file at `path` is and whether it may be kept; a kept image is written to `outPath`, and nothing is left there otherwise. The
   * file at `path` is not touched. Owners take turns, those first that have used the least time of late, they and their network. Neither an
   * owner nor long work has all the processes while there are several.
   * @throws {InspectionBudgetError} when this owner has used its time of the last minutes
   * @throws {TooManyWaitingError} when enough files of this owner wait already
   * @throws {InspectorUnavailableError} when the machine fails: the file has not been examined.
   * @throws the reason of `signal`, when it is aborted
   */
  inspect(job: InspectionJob): Promise<Inspection>;
  /** Ends the processes; what still waits fails. */
  close(): Promise<void>;
}

/** An inspector whose processes start with the first file, and do not keep the caller's process alive. */
export function createInspector(options: InspectorOptions = {}): Inspector {
  const { timeoutMs = 5000, shortMs = 1000, budgetMs = 60_000, concurrency = 2, maxWaitingOfOwner = 2, maxWaiting = 500 } = options;
  // One process is left to the others.
  const mostOfOne = Math.max(1, concurrency - 1);
  const turns = new FairTurns<string | number>(
    {
      atOnce: concurrency,
      atOnceEach: mostOfOne,
      atOnceLong: mostOfOne,
      waitingEach: mostOfOne + maxWaitingOfOwner,
      waitingInAll: maxWaiting,
    },
    {
      tooMany: () => new TooManyWaitingError(maxWaitingOfOwner),
      full: () => new InspectorUnavailableError('too many files are waiting to be examined'),
    },
  );
  const children = Array.from({ length: concurrency }, () => new InspectorChild({ timeoutMs }));
  const busy = new Set<InspectorChild>();
  const use = new InspectionUse(budgetMs);
  /** Files of each owner that wait or are examined. */
  const underWay = new Map<string | number, number>();
  let closed = false;

  /** @returns null when the file was set aside as long work */
  async function examine(job: InspectionJob, turn: Turn, isLong: boolean): Promise<Inspection | null> {
    const child = children.find((candidate) => !busy.has(candidate));
    if (!child) throw new Error('there are more turns than processes');
    busy.add(child);
    const began = performance.now();
    try {
      return await run(child, job, isLong ? null : { ms: shortMs, mayGoOn: () => turn.becomeLong() });
    } finally {
      use.charge(job, performance.now() - began);
      busy.delete(child);
    }
  }

  /** Short work first: a file that takes longer, while others wait, gives its process up and comes back as long work. */
  async function inspectInTurn(job: InspectionJob): Promise<Inspection> {
    // Among those that have used as little, the one that sent less is first.
    const options = { gone: job.signal, rank: () => use.rank(job) + (underWay.get(job.owner) ?? 0) };
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
      const others = underWay.get(job.owner) ?? 0;
      if (others >= mostOfOne + maxWaitingOfOwner) throw new TooManyWaitingError(maxWaitingOfOwner);
      underWay.set(job.owner, others + 1);
      try {
        return await inspectInTurn(job);
      } finally {
        const left = (underWay.get(job.owner) ?? 1) - 1;
        if (left > 0) underWay.set(job.owner, left);
        else underWay.delete(job.owner);
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
    if (outcome.kind === 'set_aside') return null;
    if (outcome.kind === 'timeout') return refuse('inspection_timeout');
    // A decoder that brings its process down was given something that no sound file holds.
    if (outcome.kind === 'crashed' && outcome.type)
      return refuse(outcome.type === 'application/pdf' ? 'pdf_unreadable' : 'image_unreadable');
    throw new InspectorUnavailableError(outcome.kind === 'failed' ? outcome.reason : 'the examining process was ended');
  } catch (error) {
    if (error instanceof InspectorUnavailableError || signal?.aborted) throw error;
    throw new InspectorUnavailableError('the file could not be examined', { cause: error });
  }
}
