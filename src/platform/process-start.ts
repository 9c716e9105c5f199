/** `organizer`: of the event that a registration is for; `support`: the process is stuck on its record, and somebody has to mend it (docs/operations.md). */
export type WaitingFor = 'owner' | 'organizer' | 'administrator' | 'bank' | 'date' | 'nobody' | 'support';

/** How the process of a record begins, without a turn of its own: what is shown of it, and for how long it only waits. */
export interface ProcessStart {
  stage: string;
  waitingFor: Exclude<WaitingFor, 'support'>;
  /** A message cuts it short. */
  delayMs: number;
}
