/**
 * The sweeper: drives whatever is due by the clock, looks at a slice of all that lives for processes that are missing, and clears
 * what is past its time. Runs every minute by a schedule, and on demand in the sandbox. What its steps are the worker's plan says,
 * not this workflow: a new kind of record changes no history.
 */
export interface AdoptOrphansInput {
  requestId: string;
  /** By the schedule: spare the commands. A bounded number of records for each step; what has been due for long. */
  isPaced?: boolean;
  /** Where the run before this one stopped, its history having grown long. */
  position?: SweepPosition;
}

/** How far a sweep has come. */
export interface SweepPosition {
  /** Those left, the one that is under way first. */
  steps: SweepStep[];
  /** Of the first step: where its next page begins, and how many it has had. */
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
  /** Kind of the records, where it is about records. */
  kind: string | null;
  /** Pages at the most in one sweep; null: until there is nothing left. */
  pages: number | null;
  /** When the time of the step is over, in real milliseconds since 1970; absent: never. Its activity keeps to it. */
  until?: number;
}

/** Where a page ended; opaque to the workflow. Null: there is nothing behind it. */
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
