/** `organizer`: of the registration's event; `support`: the process is stuck, and the record needs a correction (docs/operations.md). */
export type WaitingFor = 'owner' | 'organizer' | 'administrator' | 'bank' | 'date' | 'none' | 'support';

/** Start of a process without a first task: its visible state, and its delay. */
export interface ProcessStart {
  stage: string;
  waitingFor: Exclude<WaitingFor, 'support'>;
  /** A message ends it early. */
  delayMs: number;
}
