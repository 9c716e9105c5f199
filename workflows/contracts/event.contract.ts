import { command, defineContract } from './process.contract.ts';

export interface SubmitStageArgs {
  stage: 'details' | 'regulations' | 'results';
}

export interface ReviewStageArgs {
  stage: 'agreement' | 'details' | 'regulations' | 'results';
  decision: 'approve' | 'changes' | 'cancel';
  /** `updated_at` of the stage as the administrator read it, an ISO 8601 instant; absent: any version. */
  updatedAt?: string;
}

/** An event from its draft to its approved results; workflow id `event/{id}`. */
export const eventContract = defineContract({
  kind: 'event',
  workflow: 'eventStages',
  queue: 'competitions',
  commands: { submit: command<SubmitStageArgs>(), review: command<ReviewStageArgs>(), cancel: command() },
});
