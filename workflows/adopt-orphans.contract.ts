/**
 * The sweeper: drives whatever is due by the clock and starts the process of any record that lacks one. Runs by a schedule,
 * and on demand in the sandbox.
 */
export interface AdoptOrphansInput {
  requestId: string;
}

export interface SweepReport {
  /** Records driven, by phase. */
  driven: Record<string, number>;
}

export const adoptOrphansScheduleId = 'adopt-orphans';
