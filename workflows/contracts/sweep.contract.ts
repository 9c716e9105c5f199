/**
 * The sweeper: wakes due records and deletes expired data. Runs every minute by a schedule, and on demand in the sandbox. The worker plans
 * its steps, so a new kind of record does not change histories.
 */
export interface SweepInput {
  requestId: string;
  /** Whether the run is scheduled: it limits its rate and its records. */
  isPaced?: boolean;
  /** Position of the previous run, after a long history. */
  position?: SweepPosition | null;
}

/** Progress of a sweep. */
export interface SweepPosition {
  /** Remaining steps, the current one first. */
  steps: SweepStep[];
  /** Next page of the first step, and the number of its pages so far. */
  cursor: SweepCursor;
  pages: number;
  driven: Record<string, number>;
  /** Names of failed steps. */
  failed: string[];
}

/** One step of a sweep; reports show its `name`. */
export interface SweepStep {
  name: string;
  task: 'due' | 'past-troubles' | 'tallies' | 'expired-data' | 'deleted-files';
  /** Kind of the records, if the step is about records. */
  kind: string | null;
  /** Maximum pages in one sweep; null for no limit. */
  pages: number | null;
  /** Time limit of the step, milliseconds since the epoch, enforced by its activity. */
  until?: number;
}

/** End of a page; opaque to the workflow. Null: nothing follows. */
export type SweepCursor = string | null;

export interface SweepReport {
  /** Processed records, by step. */
  driven: Record<string, number>;
}

export const sweepScheduleId = 'sweep';
