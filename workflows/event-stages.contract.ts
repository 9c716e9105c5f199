import { defineUpdate } from '@temporalio/workflow';
import type { NoArgs, ProcessCommand } from './process.contract.ts';

/** An event from its draft to its approved results; workflow id `event/{id}`. */

export interface SubmitStageArgs {
  stage: 'details' | 'regulations' | 'results';
}

export interface ReviewStageArgs {
  stage: 'agreement' | 'details' | 'regulations' | 'results';
  decision: 'approve' | 'changes' | 'cancel';
}

export const submitStageUpdate = defineUpdate<void, [ProcessCommand<SubmitStageArgs>]>('submit');
export const reviewStageUpdate = defineUpdate<void, [ProcessCommand<ReviewStageArgs>]>('review');
export const cancelEventUpdate = defineUpdate<void, [ProcessCommand<NoArgs>]>('cancel');
