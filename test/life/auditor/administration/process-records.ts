import type { ProcessAction } from './process-actions.ts';

/** What the auditor knows of processes and of the actions on them. */
export class ProcessRecords {
  /** Oldest first. */
  readonly actions: ProcessAction[] = [];
  /** How many of them the list was asked about. */
  asked = 0;
  /** The process of each accepted action, and the one that its answer showed; until they are compared. */
  readonly answers: { asked: string; shown: string }[] = [];
  /** Whether the workflow of a process ran, and whether the list called it waiting, when both were read. */
  readonly health = new Map<string, { runs: boolean; listed: boolean; at: Date }>();
}
