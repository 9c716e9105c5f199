import { rm } from 'node:fs/promises';
import { FairTurns } from '../fair-turns.ts';
import { type Inspection, type InspectionRequest, refuse } from './inspection.ts';
import { InspectorUnavailableError, TooManyWaitingError } from './inspector-errors.ts';
import { InspectorChild } from './inspector-child.ts';

export { InspectorUnavailableError, TooManyWaitingError } from './inspector-errors.ts';

export type InspectorOptions = {
  /** milliseconds one file may take from the moment a process begins with it */
  timeoutMs?: number;
  /** processes, and so files examined at a time */
  concurrency?: number;
  /** files of one owner that may wait; more are turned away */
  maxWaitingOfOwner?: number;
  /** files that may wait altogether; more are turned away */
  maxWaiting?: number;
};

export type InspectionJob = InspectionRequest & {
  /** whose turn it takes, such as the id of an account */
  owner: string | number;
  /** aborted when nobody waits for the answer any more: a file that waits is dropped, one under examination is given up */
  signal?: AbortSignal;
};

/** Examines uploads in processes of their own: hostile bytes are never decoded in the one that serves requests. */
export interface Inspector {
  /**
   * What the file at `path` is and whether it may be kept; a kept image is written to `outPath`, and nothing is left there
   * otherwise. The file at `path` is not touched. Owners take turns, and none has all the processes while there are several.
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
  const { timeoutMs = 5000, concurrency = 2, maxWaitingOfOwner = 2, maxWaiting = 500 } = options;
  const turns = new FairTurns<string | number>(
    // One process is left to the others.
    { atOnce: concurrency, atOnceEach: Math.max(1, concurrency - 1), waitingEach: maxWaitingOfOwner, waitingInAll: maxWaiting },
    {
      tooMany: () => new TooManyWaitingError(maxWaitingOfOwner),
      full: () => new InspectorUnavailableError('too many files are waiting to be examined'),
    },
  );
  const children = Array.from({ length: concurrency }, () => new InspectorChild({ timeoutMs }));
  const busy = new Set<InspectorChild>();
  let closed = false;

  async function examine(job: InspectionJob): Promise<Inspection> {
    const child = children.find((candidate) => !busy.has(candidate));
    if (!child) throw new Error('there are more turns than processes');
    busy.add(child);
    try {
      return await run(child, job);
    } finally {
      busy.delete(child);
    }
  }

  return {
    async inspect(job) {
      if (closed) throw new InspectorUnavailableError('the inspector is closed');
      return turns.take(job.owner, () => examine(job), job.signal);
    },
    async close() {
      closed = true;
      turns.refuseWaiting(new InspectorUnavailableError('the inspector is closed'));
      await Promise.all(children.map((child) => child.stop()));
    },
  };
}

async function run(child: InspectorChild, { path, outPath, measuresTransparency = false, signal }: InspectionJob): Promise<Inspection> {
  try {
    const outcome = await child.examine({ path, outPath, measuresTransparency }, signal);
    if (outcome.kind === 'done' && outcome.inspection.ok) return outcome.inspection;
    await rm(outPath, { force: true });
    signal?.throwIfAborted();
    if (outcome.kind === 'done') return outcome.inspection;
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
