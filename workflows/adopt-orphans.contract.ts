/**
 * The sweeper: drives due records, starts missing processes of a slice of all active records, and deletes expired data. Runs every minute
 * by a schedule, and on demand in the sandbox. The worker's plan defines its steps, so a new kind of record changes no history.
 */
export interface AdoptOrphansInput {
  requestId: string;
  /** Scheduled: leaves capacity to commands. Takes a bounded number of records in each step, only those overdue for some time. */
  isPaced?: boolean;
  /** Where the previous run stopped, when its history had grown long. */
  position?: SweepPosition;
}

/** Progress of a sweep. */
export interface SweepPosition {
  /** Remaining steps, the current one first. */
  steps: SweepStep[];
  /** Of the first step: where its next page begins, and the number of its pages so far. */
  cursor: SweepCursor;
  pages: number;
  driven: Record<string, number>;
  /** Steps that failed for good, by name. */
  failed: string[];
}

/** One step of a sweep; `name` is what reports show. */
export interface SweepStep {
  name: string;
  task: 'due' | 'orphans' | 'past-troubles' | 'tallies' | 'expired-data' | 'deleted-files';
  /** Kind of the records, if the step is about records. */
  kind: string | null;
  /** Most pages in one sweep; null: until nothing is left. */
  pages: number | null;
  /** End of the step's time, in real milliseconds since 1970; absent: none. Its activity enforces it. */
  until?: number;
}

/** End of a page; opaque to the workflow. Null: nothing follows. */
export type SweepCursor = string | null;

export interface SweepPage {
  driven: number;
  next: SweepCursor;
}

export interface SweepReport {
  /** Records driven, by step. */
  driven: Record<string, number>;
}

export const adoptOrphansScheduleId = 'adopt-orphans';
